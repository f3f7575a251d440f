import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { snapshotOf } from './commit-snapshot.ts'
import { authorizationOf } from './credentials.ts'
import { readHealing } from './heal.ts'
import { candidatesOf, isCommit, type Meaning, meaningOf, nearestNames, type Ref } from './ref.ts'
import type { Source, SourceConfig } from './source-type.ts'
import { openStore } from './store.ts'
import { connectTo } from './wire/connection.ts'
import { fetchPack } from './wire/fetch.ts'
import { type Greeting, greet, listRefs } from './wire/refs.ts'

type RemoteAddress = Extract<Address, { kind: 'remote' }>

/**
 * A repository on a git server.
 * - A look-up is one request once the server is known to speak protocol 2.
 * - A commit is fetched by its own name, one commit deep, so that a push meanwhile makes no difference.
 * - One fetch at a time; a damaged store is cleared and filled again.
 */
export function openRemote(address: RemoteAddress, config: SourceConfig, storeDir: string): Source {
  const { name, url } = address
  const { ref } = config
  const connection = connectTo(url, () => authorizationOf(config.auth ?? {}, address.login))
  const store = openStore(join(storeDir, createHash('sha256').update(name).digest('hex').slice(0, 16)))
  const oneAtATime = pLimit(1)
  let greeting: Greeting | undefined
  let meaning: Meaning | undefined
  let cleared = 0

  /** Asks the server for refs; what was learnt of a server that then fails is forgotten. */
  async function refsOf(prefixes: readonly string[], signal: AbortSignal): Promise<readonly Ref[]> {
    try {
      if (greeting?.protocol !== 2) greeting = await greet(connection, url, signal)
      if (greeting.protocol === 0) return greeting.refs
      return await listRefs(connection, { base: greeting.base, prefixes }, signal)
    } catch (error) {
      greeting = undefined
      throw error
    }
  }

  async function lookUp(signal: AbortSignal): Promise<string> {
    if (ref !== undefined && isCommit(ref)) return ref
    meaning = meaningOf(ref, await refsOf(candidatesOf(ref), signal))
    if (meaning === undefined) throw await notFound(signal)
    return meaning.commit
  }

  async function notFound(signal: AbortSignal): Promise<Failure> {
    const refs = await refsOf(branchesAndTags, signal)
    if (refs.length === 0) return new Failure('ref-not-found', `${url}: the repository has no commit yet`)
    const near = nearestNames(ref ?? '', refs).join(', ')
    const what = ref === undefined ? 'the default branch does not exist' : `has no branch or tag "${ref}"`
    return new Failure('ref-not-found', `${url}: ${what}; there are: ${near}`)
  }

  async function fetchOnce(commit: string, signal: AbortSignal): Promise<void> {
    if (store.has(commit)) return
    greeting ??= await greet(connection, url, signal)
    const { base, protocol } = greeting
    const place = store.next()
    try {
      const wish = { base, protocol, wants: [commit], haves: place.haves, depth: 1 }
      await store.add(commit, place, fetchPack(connection, wish, signal), url)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'commit-unreachable') throw error
      await fetchAll(commit, error, signal)
    }
  }

  /** For a server that hands out only what refs name: all of its history may contain the commit. */
  async function fetchAll(commit: string, refusal: Failure, signal: AbortSignal): Promise<void> {
    const refs = await refsOf(branchesAndTags, signal)
    const wants = [...new Set(refs.map(({ oid }) => oid))]
    if (wants.length === 0 || greeting === undefined) throw refusal
    const { base, protocol } = greeting
    const pack = fetchPack(connection, { base, protocol, wants, haves: [] }, signal)
    await store.add(commit, store.next(), pack, url)
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

const branchesAndTags: readonly string[] = ['refs/heads/', 'refs/tags/']
