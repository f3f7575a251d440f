import { dirname, join, resolve } from 'node:path'
import { sleep } from '../../wait/timer.ts'
import { openLoose } from '../objects/loose.ts'
import { type GitObject, isCorrupt, type Objects } from '../objects/object.ts'
import { openPacks } from '../objects/pack/packs.ts'
import { several } from '../objects/several.ts'
import { readText } from './local-refs.ts'

/** Finds an object by its name; undefined if the repository does not have it. Fails with `repository-corrupt`. */
export type FindObject = (oid: string) => Promise<GitObject | undefined>

/** The pauses before each look, in which another process that moves objects can finish one of them. */
const pausesMs: readonly number[] = [0, 10, 20, 40, 80, 160]

/**
 * Finds objects of a repository on this machine while git may tidy it up: git packs loose objects, and removes packs
 * whose objects are in another one. An object that is not found, or cannot be read, is therefore looked for again in
 * fresh listings, several times within half a second. If it is still wrong then, the repository itself is damaged.
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

/**
 * Opens the loose objects, the packs and those of the repositories that this one borrows from, as they are listed now.
 */
export function openObjects(common: string, depth = 0): Objects {
  const directory = join(common, 'objects')
  const borrowed = readText(join(directory, 'info/alternates')).split('\n').filter(Boolean)
  return several([
    openLoose(directory),
    openPacks(join(directory, 'pack')),
    ...(depth > 5 ? [] : borrowed.map(one => openObjects(dirname(resolve(directory, one)), depth + 1))),
  ])
}
