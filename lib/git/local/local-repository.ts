import { statSync } from 'node:fs'
import { Failure, messageOf } from '../../errors.ts'
import type { Address } from '../address.ts'
import { corrupt, type GitObject } from '../objects/object.ts'
import { parseTag } from '../objects/parse.ts'
import { isCommit, type Meaning, meaningOf, nearestNames } from '../ref.ts'
import { commitsStartingWith, isShortCommit, onlyCommit } from '../short-commit.ts'
import { commitObject, tagObject, tagOf } from '../signature/object.ts'
import { type ReadObject, snapshotOf } from '../snapshot/commit-snapshot.ts'
import { inaccessible } from '../snapshot/unreadable.ts'
import type { OpenedSource } from '../source-type.ts'
import type { Store } from '../store.ts'
import { branchOf, notABranch } from '../writing.ts'
import { copyCommit } from './copy-commit.ts'
import { type FindObject, findIn, openObjects } from './local-objects.ts'
import { directoriesOf, listLocalRefs, readLocalRef } from './local-refs.ts'
import { pushLocally } from './write-local.ts'

/**
 * Opens a repository on this machine, and reads its own objects. Only `writing.push` ever writes into it. Commits that
 * are to be kept are copied into the store, and read from there while the repository, or a commit of it, is gone (A6).
 */
export function openLocalRepository(
  { name, path }: Extract<Address, { kind: 'local' }>,
  gitPath: () => string,
  ref: string | undefined,
  store: Store,
): OpenedSource {
  let meaning: Meaning | undefined
  const readerOf = async (commit: string): Promise<ReadObject> => {
    try {
      return await ownReader(path, gitPath(), commit)
    } catch (error) {
      if (!store.has(commit)) throw error
      const kept = store.open()
      return oid => found(async name => kept.find(name), oid)
    }
  }
  return {
    address: name,
    lookUp: () =>
      reading(path, async () => {
        if (ref !== undefined && isCommit(ref)) return ref
        meaning = await lookUpIn(path, gitPath(), ref)
        return meaning.commit
      }),
    snapshot: async commit =>
      snapshotOf(commit, ref ?? (meaning?.commit === commit ? meaning.ref : 'HEAD'), await readerOf(commit)),
    async signed(mode, commit) {
      const read = await readerOf(commit)
      if (mode === 'head') return commitObject(commit, read)
      const { tag, ref: found } = tagOf(meaning, commit, path)
      return tagObject(tag, found, commit, read)
    },
    keep: async commit => copyCommit(commit, await readerOf(commit), store, path),
    writing: {
      branch: () =>
        reading(path, async () => {
          const found = await readLocalRef(directoriesOf(gitPath()), ref)
          if (found === undefined || (ref !== undefined && isCommit(ref)))
            throw notABranch(ref ?? 'HEAD', path)
          return branchOf(found, path)
        }),
      objects: readerOf,
      push: (branch, draft, signal) => pushLocally(path, gitPath(), branch, draft, signal),
    },
  }
}

async function ownReader(path: string, gitPath: string, commit: string): Promise<ReadObject> {
  const find = await reading(path, () => findIn(directoriesOf(gitPath).common))
  if ((await reading(path, () => find(commit))) === undefined)
    throw new Failure('commit-unreachable', `${path}: has no commit ${commit}`)
  return oid => reading(path, () => found(find, oid))
}

/** Returns the commit of HEAD; undefined in a repository without commits. */
export async function headCommit(
  gitPath: string,
): Promise<{ readonly commit: string; readonly find: FindObject } | undefined> {
  const directories = directoriesOf(gitPath)
  const head = await readLocalRef(directories, undefined)
  return head === undefined ? undefined : { commit: head.oid, find: findIn(directories.common) }
}

async function lookUpIn(path: string, gitPath: string, ref: string | undefined): Promise<Meaning> {
  const directories = directoriesOf(gitPath)
  const found = await readLocalRef(directories, ref)
  if (found !== undefined) {
    const meaning = meaningOf(ref, found)
    const commit = await peel(findIn(directories.common), meaning.commit)
    return { ...meaning, commit, ...(commit === meaning.commit ? {} : { tag: meaning.commit }) }
  }
  if (ref !== undefined && isShortCommit(ref)) {
    const commits = commitsStartingWith(openObjects(directories.common), ref)
    const commit = onlyCommit(ref, commits, path)
    if (commit !== undefined) return { commit, ref }
  }
  const near = nearestNames(ref ?? '', await listLocalRefs(directories)).join(', ')
  if (near === '') throw new Failure('ref-not-found', `${path}: the repository has no commit yet`)
  const what =
    ref === undefined
      ? 'the default branch does not exist'
      : `has no branch or tag${isShortCommit(ref) ? ', and no commit,' : ''} "${ref}"`
  throw new Failure('ref-not-found', `${path}: ${what}; there are: ${near}`)
}

/** Follows a tag, or a tag of a tag, to its commit. */
async function peel(find: FindObject, oid: string, depth = 0): Promise<string> {
  const object = await find(oid)
  if (object?.type !== 'tag') return oid
  if (depth > 10) throw corrupt(`tag ${oid}`, 'leads on and on')
  return peel(find, parseTag(object.content, oid), depth + 1)
}

async function found(find: FindObject, oid: string): Promise<GitObject> {
  const object = await find(oid)
  if (object === undefined) throw corrupt(`object ${oid}`, 'is missing')
  return object
}

/** Translates the errors of the file system. */
async function reading<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    statSync(path)
    return await read()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw inaccessible(path, messageOf(error), error)
  }
}
