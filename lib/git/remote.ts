import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../errors.ts'
import { type ReadObject, snapshotOf } from './commit-snapshot.ts'
import { readHealing } from './heal.ts'
import { isCorrupt } from './objects/object.ts'
import { candidatesOf, isCommit, type Meaning, meaningOf, nearestNames, type Ref } from './ref.ts'
import type { GitServer } from './server.ts'
import { commitsStartingWith, isShortCommit, onlyCommit } from './short-commit.ts'
import { commitObject, tagObject, tagOf } from './signature/object.ts'
import type { Opened } from './source-type.ts'
import { openStore } from './store.ts'

/** `name` is one spelling for equal addresses; `url` is for messages. */
type Place = { readonly name: string; readonly url: string }

/**
 * A repository on a git server, whatever way it is spoken to.
 * - A commit is fetched by its own name, one commit deep, so that a push meanwhile makes no difference.
 * - One fetch at a time; a damaged store is cleared and filled again.
 */
export function openRemote(
  { name, url }: Place,
  server: GitServer,
  ref: string | undefined,
  storeDir: string,
): Opened {
  const store = openStore(join(storeDir, createHash('sha256').update(name).digest('hex').slice(0, 16)))
  const oneAtATime = pLimit(1)
  let meaning: Meaning | undefined
  let cleared = 0

  async function lookUp(signal: AbortSignal): Promise<string> {
    if (ref !== undefined && isCommit(ref)) return ref
    const found = await server.find(candidatesOf(ref), signal)
    if (found !== undefined) {
      meaning = meaningOf(ref, found)
      return meaning.commit
    }
    const refs = await server.list(signal)
    const commit = await shortCommit(refs)
    if (commit === undefined) throw notFound(refs)
    return commit
  }

  /** A server tells no commits but those that refs name; others are known once they were fetched. */
  async function shortCommit(refs: readonly Ref[]): Promise<string | undefined> {
    if (ref === undefined || !isShortCommit(ref)) return undefined
    const named = refs.map(({ oid, peeled }) => peeled ?? oid).filter(oid => oid.startsWith(ref))
    return onlyCommit(ref, [...named, ...(await fetched(ref))], url)
  }

  /** Of a store that is damaged nothing is known; it is filled again by what is read next. */
  async function fetched(prefix: string): Promise<readonly string[]> {
    try {
      return commitsStartingWith(store.open(), prefix)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      await store.clear()
      return []
    }
  }

  function notFound(refs: readonly Ref[]): Failure {
    if (refs.length === 0) return new Failure('ref-not-found', `${url}: the repository has no commit yet`)
    const names = refs.map(one => one.name)
    const near = nearestNames(ref ?? '', names).join(', ')
    const what = ref === undefined ? 'the default branch does not exist' : `has no branch or tag "${ref}"`
    if (ref !== undefined && isShortCommit(ref))
      return new Failure(
        'ref-not-found',
        `${url}: ${what}; a short name finds only commits at the end of a branch or tag, or fetched before`,
        { hint: 'Give all forty digits of the commit.' },
      )
    return new Failure('ref-not-found', `${url}: ${what}; there are: ${near}`)
  }

  /** With a tag that leads to the commit, that as well. */
  async function fetchOnce(commit: string, signal: AbortSignal, tag?: string): Promise<void> {
    if (store.has(commit) && (tag === undefined || store.holds(tag))) return
    const place = store.next()
    try {
      // A pack that comes in place of one of the same name has all that the former had.
      const haves = place.haves.filter(have => have !== commit)
      const wish = { wants: [tag ?? commit], haves, depth: 1 }
      await store.add(commit, place, server.pack(wish, signal), url)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'commit-unreachable') throw error
      await fetchAll(commit, error, signal)
    }
  }

  /** For a server that hands out only what refs name: all of its history may contain the commit. */
  async function fetchAll(commit: string, refusal: Failure, signal: AbortSignal): Promise<void> {
    const wants = [...new Set((await server.list(signal)).map(({ oid }) => oid))]
    if (wants.length === 0) throw refusal
    await store.add(commit, store.next(), server.pack({ wants, haves: [] }, signal), url)
  }

  async function reader(commit: string, signal: AbortSignal, tag?: string): Promise<ReadObject> {
    await oneAtATime(() => fetchOnce(commit, signal, tag))
    const opened = cleared
    async function heal(): Promise<void> {
      if (cleared === opened) {
        await store.clear()
        cleared += 1
      }
      await fetchOnce(commit, signal, tag)
    }
    return readHealing(store.open, () => oneAtATime(heal))
  }

  return {
    address: name,
    lookUp,
    async snapshot(commit, signal) {
      return snapshotOf(commit, describe(commit), await reader(commit, signal))
    },
    async signed(mode, commit, signal) {
      if (mode === 'head') return commitObject(commit, await reader(commit, signal))
      const { tag, ref: found } = tagOf(meaning, commit, url)
      return tagObject(tag, found, commit, await reader(commit, signal, tag))
    },
  }

  function describe(commit: string): string {
    return ref ?? (meaning?.commit === commit ? meaning.ref : 'HEAD')
  }
}
