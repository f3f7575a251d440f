import pLimit from 'p-limit'
import { Failure } from '../../errors.ts'
import { isCorrupt } from '../objects/object.ts'
import { candidatesOf, isCommit, type Meaning, meaningOf, nearestNames, type Ref } from '../ref.ts'
import { commitsStartingWith, isShortCommit, onlyCommit } from '../short-commit.ts'
import { commitObject, tagObject, tagOf } from '../signature/object.ts'
import { type ReadObject, snapshotOf } from '../snapshot/commit-snapshot.ts'
import type { OpenedSource } from '../source-type.ts'
import { type FetchPlace, openStore, storeOf } from '../store.ts'
import { branchOf, notABranch } from '../writing.ts'
import { readHealing } from './heal.ts'
import { pushTo } from './push.ts'
import type { GitServer } from './server.ts'

/** Equal addresses have the same `name`; `url` is shown in messages. */
type Place = { readonly name: string; readonly url: string }

/**
 * Opens a repository on a git server, over HTTP or SSH.
 * - A commit is fetched by its own name, with a depth of one, so that a push meanwhile makes no difference.
 * - There is one fetch at a time. What is damaged in the store is fetched again.
 * - `needed`: commits that stay in the store.
 */
export function openRemote(
  { name, url }: Place,
  server: GitServer,
  ref: string | undefined,
  storeDir: string,
  needed: () => readonly string[],
): OpenedSource {
  const store = openStore(storeOf(storeDir, name), needed)
  const oneAtATime = pLimit(1)
  let meaning: Meaning | undefined
  let renewed = 0

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

  /** A server lists only commits that refs name. Other commits are known only if they were fetched before. */
  async function shortCommit(refs: readonly Ref[]): Promise<string | undefined> {
    if (ref === undefined || !isShortCommit(ref)) return undefined
    const named = refs.map(({ oid, peeled }) => peeled ?? oid).filter(oid => oid.startsWith(ref))
    return onlyCommit(ref, [...named, ...fetched(ref)], url)
  }

  /** Nothing is known of a damaged store. The next read heals it. */
  function fetched(prefix: string): readonly string[] {
    try {
      return commitsStartingWith(store.open(), prefix)
    } catch (error) {
      if (!isCorrupt(error)) throw error
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

  /** Fetches the commit, and also the tag that led to it if one is given. */
  async function fetchOnce(commit: string, signal: AbortSignal, tag?: string): Promise<void> {
    if (store.has(commit) && (tag === undefined || store.holds(tag))) return
    await fetchInto(store.next(), commit, signal, tag)
  }

  async function fetchInto(
    place: FetchPlace,
    commit: string,
    signal: AbortSignal,
    tag: string | undefined,
  ): Promise<void> {
    try {
      // A new pack that replaces one of the same name contains everything that the old one had.
      const haves = place.haves.filter(have => have !== commit)
      const wish = { wants: [tag ?? commit], haves, depth: 1 }
      await store.add(commit, place, server.pack(wish, signal), url)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'commit-unreachable') throw error
      await fetchAll(place, commit, error, signal)
    }
  }

  /** Fetches everything, for a server that hands out only what refs name: the whole history may contain the commit. */
  async function fetchAll(
    { generation }: FetchPlace,
    commit: string,
    refusal: Failure,
    signal: AbortSignal,
  ): Promise<void> {
    const wants = [...new Set((await server.list(signal)).map(({ oid }) => oid))]
    if (wants.length === 0) throw refusal
    await store.add(commit, { generation, haves: [] }, server.pack({ wants, haves: [] }, signal), url)
  }

  async function reader(commit: string, signal: AbortSignal, tag?: string): Promise<ReadObject> {
    await oneAtATime(() => fetchOnce(commit, signal, tag))
    const opened = renewed
    async function heal(): Promise<void> {
      if (renewed !== opened) return fetchOnce(commit, signal, tag)
      await fetchInto(store.afresh(), commit, signal, tag)
      await store.dropDamaged()
      renewed += 1
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
    writing: {
      async branch(signal) {
        if (ref !== undefined && isCommit(ref)) throw notABranch(ref, url)
        const found = await server.find(candidatesOf(ref), signal)
        if (found === undefined) throw notABranch(ref ?? 'HEAD', url)
        return branchOf(found, url)
      },
      objects: (commit, signal) => reader(commit, signal),
      push: (branch, draft, signal) => pushTo(server, branch, draft, url, signal),
    },
  }

  function describe(commit: string): string {
    return ref ?? (meaning?.commit === commit ? meaning.ref : 'HEAD')
  }
}
