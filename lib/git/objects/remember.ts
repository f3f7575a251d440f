import type { GitObject } from './object.ts'

/** Some objects that were read, for as long as they are of use. */
export type Memory = {
  find(key: string): GitObject | undefined
  add(key: string, object: GitObject): void
}

/** A memory that holds some megabytes, whoever uses it; forgets all of them when it is full. */
export function rememberObjects(): Memory {
  const objects = new Map<string, GitObject>()
  let bytes = 0
  return {
    find: key => objects.get(key),
    add(key, object) {
      if (object.type === 'oversized') return
      if (bytes + object.content.byteLength > mostBytes) {
        objects.clear()
        bytes = 0
      }
      objects.set(key, object)
      bytes += object.content.byteLength + entryBytes
    },
  }
}

const mostBytes = 16 * 1024 * 1024
/** What remembering costs by itself. */
const entryBytes = 200
