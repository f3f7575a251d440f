import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Objects } from './object.ts'
import { openPack } from './pack.ts'
import { rememberObjects } from './remember.ts'

/** The objects of all packs in a directory, none if there is no such directory; fails with `repository-corrupt`. */
export function openPacks(directory: string): Objects {
  const memory = rememberObjects()
  const packs = indexesIn(directory).map(path => openPack(path, memory))
  return {
    find(oid) {
      for (const pack of packs) {
        const object = pack.find(oid)
        if (object !== undefined) return object
      }
      return undefined
    },
  }
}

function indexesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter(name => name.endsWith('.idx'))
      .map(name => join(directory, name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
