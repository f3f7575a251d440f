import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { snapshotOf } from './commit-snapshot.ts'
import { headersOf } from './credentials.ts'
import { readHealing } from './heal.ts'
import { candidatesOf, isCommit, type Meaning, meaningOf, nearestNames, type Ref } from './ref.ts'
import { openServer } from './server.ts'
import type { Source, SourceConfig } from './source-type.ts'
import { openStore } from './store.ts'

type RemoteAddress = Extract<Address, { kind: 'remote' }>

/**
 * A repository on a git server.
 * - A look-up is one request once the server is known to speak protocol 2, two for a tag.
 * - A commit is fetched by its own name, one commit deep, so that a push meanwhile makes no difference.
 * - One fetch at a time; a damaged store is cleared and filled again.
 */
export function openRemote(address: RemoteAddress, config: SourceConfig, storeDir: string): Source {
  const { name, url } = address
  const { ref } = config
  const server = openServer(url, () => headersOf(config.auth ?? {}, address.login))
  const store = openStore(join(storeDir, createHash('sha256').update(name).digest('hex').slice(0, 16)))
  const oneAtATime = pLimit(1)
  let meaning: Meaning | undefined
  let cleared = 0

  async function lookUp(signal: AbortSignal): Promise<string> {
    if (ref !== undefined && isCommit(ref)) return ref
    const found = await server.find(candidatesOf(ref), signal)
    if (found === undefined) throw notFound(await server.list(signal))
    meaning = meaningOf(ref, found)
    return meaning.commit
  }

  function notFound(refs: readonly Ref[]): Failure {
    if (refs.length === 0) return new Failure('ref-not-found', `${url}: the repository has no commit yet`)
    const names = refs.map(one => one.name)
    const near = nearestNames(ref ?? '', names).join(', ')
    const what = ref === undefined ? 'the default branch does not exist' : `has no branch or tag "${ref}"`
    return new Failure('ref-not-found', `${url}: ${what}; there are: ${near}`)
  }

  async function fetchOnce(commit: string, signal: AbortSignal): Promise<void> {
    if (store.has(commit)) return
    const place = store.next()
    try {
      const wish = { wants: [commit], haves: place.haves, depth: 1 }
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

  return {
    name,
    lookUp,
    async snapshot(commit, signal) {
      await oneAtATime(() => fetchOnce(commit, signal))
      const opened = cleared
      async function heal(): Promise<void> {
        if (cleared === opened) {
          await store.clear()
          cleared += 1
        }
        await fetchOnce(commit, signal)
      }
      const read = readHealing(store.open, () => oneAtATime(heal))
      return snapshotOf(commit, describe(commit), read)
    },
  }

  function describe(commit: string): string {
    return ref ?? (meaning?.commit === commit ? meaning.ref : 'HEAD')
  }
}
