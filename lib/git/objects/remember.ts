import type { GitObject } from './object.ts'

/** Objects that were read and may be read again. */
export type ObjectMemory = {
  find(key: string): GitObject | undefined
  add(key: string, object: GitObject): void
}

/** Creates a memory of some megabytes for all its users. When it is full, it forgets everything. */
export function rememberObjects(): ObjectMemory {
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
/** What an entry costs besides its content. */
const entryBytes = 200
