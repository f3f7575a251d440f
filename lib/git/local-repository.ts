import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { snapshotOf } from './commit-snapshot.ts'
import { readHealing } from './heal.ts'
import { directoriesOf, listLocalRefs, readLocalRef, readText } from './local-refs.ts'
import { openLoose } from './objects/loose.ts'
import { corrupt, type Objects } from './objects/object.ts'
import { openPacks } from './objects/packs.ts'
import { parseTag } from './objects/parse.ts'
import { isCommit, type Meaning, meaningOf, nearestNames } from './ref.ts'
import type { Source } from './source-type.ts'

/** A repository on this machine, read from its own objects; nothing is ever written into it. */
export function openLocalRepository(
  { name, path }: Extract<Address, { kind: 'local' }>,
  gitPath: string,
  ref: string | undefined,
): Source {
  let meaning: Meaning | undefined
  const open = () => reading(path, () => openObjects(directoriesOf(gitPath).common))
  return {
    name,
    lookUp: () =>
      reading(path, async () => {
        if (ref !== undefined && isCommit(ref)) return ref
        meaning = await lookUpIn(path, gitPath, ref)
        return meaning.commit
      }),
    async snapshot(commit) {
      // git repacks objects while we read: what is missing is looked for anew.
      const read = readHealing(open, async () => undefined)
      if ((await open()).find(commit) === undefined)
        throw new Failure('commit-unreachable', `${path}: has no commit ${commit}`)
      return snapshotOf(commit, ref ?? (meaning?.commit === commit ? meaning.ref : 'HEAD'), read)
    },
  }
}

/** What HEAD means; undefined in a repository without commits. */
export async function headOf(
  gitPath: string,
): Promise<{ readonly commit: string; readonly objects: Objects } | undefined> {
  const directories = directoriesOf(gitPath)
  const head = await readLocalRef(directories, undefined)
  return head === undefined ? undefined : { commit: head.oid, objects: openObjects(directories.common) }
}

async function lookUpIn(path: string, gitPath: string, ref: string | undefined): Promise<Meaning> {
  const directories = directoriesOf(gitPath)
  const found = await readLocalRef(directories, ref)
  if (found !== undefined) {
    const meaning = meaningOf(ref, found)
    return { ...meaning, commit: peel(openObjects(directories.common), meaning.commit) }
  }
  const near = nearestNames(ref ?? '', await listLocalRefs(directories)).join(', ')
  if (near === '') throw new Failure('ref-not-found', `${path}: the repository has no commit yet`)
  const what = ref === undefined ? 'the default branch does not exist' : `has no branch or tag "${ref}"`
  throw new Failure('ref-not-found', `${path}: ${what}; there are: ${near}`)
}

/** The commit that a tag, or a tag of a tag, stands for. */
function peel(objects: Objects, oid: string, depth = 0): string {
  const object = objects.find(oid)
  if (object?.type !== 'tag') return oid
  if (depth > 10) throw corrupt(`tag ${oid}`, 'leads on and on')
  return peel(objects, parseTag(object.content, oid), depth + 1)
}

/** Loose objects, packs, and those of the repositories it borrows from. */
function openObjects(common: string, depth = 0): Objects {
  const directory = join(common, 'objects')
  const borrowed = readText(join(directory, 'info/alternates')).split('\n').filter(Boolean)
  const all = [
    openLoose(directory),
    openPacks(join(directory, 'pack')),
    ...(depth > 5 ? [] : borrowed.map(one => openObjects(dirname(resolve(directory, one)), depth + 1))),
  ]
  return {
    find(oid) {
      for (const objects of all) {
        const object = objects.find(oid)
        if (object !== undefined) return object
      }
      return undefined
    },
  }
}

/** Translates what the file system refuses. */
async function reading<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    statSync(path)
    return await read()
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('git-unreachable', `${path}: cannot be read: ${reason}`, { cause: error })
  }
}
