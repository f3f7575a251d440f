import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Objects } from '../object.ts'
import { rememberObjects } from '../remember.ts'
import { several } from '../several.ts'
import { openPack } from './pack.ts'

/**
 * Opens the objects of all packs in a directory; none if there is no such directory. Fails with `repository-corrupt`.
 */
export function openPacks(directory: string): Objects {
  const memory = rememberObjects()
  return several(indexesIn(directory).map(path => openPack(path, memory)))
}

function indexesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter(isIndex)
      .map(name => join(directory, name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** A name that begins with a dot is a draft of git's, which gets its final name when it is complete. */
function isIndex(name: string): boolean {
  return name.endsWith('.idx') && !name.startsWith('.')
}
