import { dirname, join, resolve } from 'node:path'
import { sleep } from '../timer.ts'
import { readText } from './local-refs.ts'
import { openLoose } from './objects/loose.ts'
import { type GitObject, isCorrupt, type Objects } from './objects/object.ts'
import { openPacks } from './objects/packs.ts'
import { several } from './objects/several.ts'

/** An object by its name; undefined when the repository has none. Fails with `repository-corrupt`. */
export type FindObject = (oid: string) => Promise<GitObject | undefined>

/** How long to wait before each further look, so that whoever moves objects can finish with one of them. */
const pausesMs: readonly number[] = [0, 10, 20, 40, 80, 160]

/**
 * Finds objects of a repository on this machine that git may tidy up meanwhile: it packs what was loose, and removes
 * packs whose objects stand in another one. So what is not found, or cannot be read, is looked for again in fresh
 * listings, several times within half a second; what is still wrong then is the repository's own fault.
 */
export function findIn(common: string): FindObject {
  let objects: Objects | undefined
  const look = (oid: string): GitObject | undefined => {
    objects ??= openObjects(common)
    return objects.find(oid)
  }
  return async oid => {
    for (const pauseMs of pausesMs) {
      try {
        const object = look(oid)
        if (object !== undefined) return object
      } catch (error) {
        if (!isCorrupt(error)) throw error
      }
      objects = undefined
      if (pauseMs > 0) await sleep(pauseMs)
    }
    return look(oid)
  }
}

/** Loose objects, packs, and those of the repositories it borrows from, as they are listed now. */
export function openObjects(common: string, depth = 0): Objects {
  const directory = join(common, 'objects')
  const borrowed = readText(join(directory, 'info/alternates')).split('\n').filter(Boolean)
  return several([
    openLoose(directory),
    openPacks(join(directory, 'pack')),
    ...(depth > 5 ? [] : borrowed.map(one => openObjects(dirname(resolve(directory, one)), depth + 1))),
  ])
}
