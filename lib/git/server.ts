import type { ServerRef } from 'isomorphic-git'
import { Failure } from '../errors.ts'
import { type Advertisement, askAdvertisement, clientOf, unusable } from './http.ts'
import type { Ref } from './ref.ts'
import { fetchPack, type Wish } from './wire/fetch.ts'

/**
 * A repository on a git server, for reading only.
 * - What a server of protocol 2 can do is asked once, and again after a failure; then a question is one request.
 * - A server of protocol 0 lists all its refs in each answer.
 * - Credentials are asked for before each request, so that changed ones take effect at once.
 */
export type GitServer = {
  /** The first of the full names that exists. */
  find(names: readonly string[], signal: AbortSignal): Promise<Ref | undefined>
  /** All branches and tags. */
  list(signal: AbortSignal): Promise<readonly Ref[]>
  /** The bytes of one pack; fails with `commit-unreachable` when the server refuses a commit. */
  pack(wish: Wish, signal: AbortSignal): AsyncIterable<Buffer>
}

/**
 * The server at an address without credentials; `headers` are made for each request. Everything fails as `askServer`
 * does, with `repository-unsupported` for SHA-256, and as `headers` does.
 */
export function openServer(address: string, headers: () => Promise<Record<string, string>>): GitServer {
  let greeting: Greeting | undefined

  async function greet(signal: AbortSignal): Promise<Greeting> {
    return readGreeting(address, await askAdvertisement(address, await headers(), signal), signal)
  }

  async function refsBelow(current: Greeting, prefix: string, signal: AbortSignal): Promise<readonly Ref[]> {
    if (current.protocol === 0) return current.refs.filter(({ name }) => name.startsWith(prefix))
    const { listServerRefs } = await import('isomorphic-git')
    const http = clientOf(address, current.advertisement, signal)
    const query = { http, url: current.base, headers: await headers(), prefix, symrefs: true, peelTags: true }
    return toRefs(address, await understood(address, () => listServerRefs(query), signal))
  }

  /** What was learnt of a server that then fails is forgotten. */
  async function asking<T>(ask: (current: Greeting) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      if (greeting?.protocol !== 2) greeting = await greet(signal)
      return await ask(greeting)
    } catch (error) {
      greeting = undefined
      throw error
    }
  }

  return {
    find: (names, signal) =>
      asking(async current => {
        for (const name of names) {
          const found = (await refsBelow(current, name, signal)).find(ref => ref.name === name)
          if (found !== undefined) return found
        }
        return undefined
      }, signal),
    list: signal =>
      asking(async current => {
        const branches = await refsBelow(current, 'refs/heads/', signal)
        return [...branches, ...(await refsBelow(current, 'refs/tags/', signal))]
      }, signal),
    async *pack(wish, signal) {
      greeting ??= await greet(signal)
      const { base, protocol } = greeting
      yield* fetchPack({ address, base, protocol, headers: await headers() }, wish, signal)
    },
  }
}

/** How a server speaks: protocol 2 lists what is asked for, protocol 0 lists everything at once. */
type Greeting =
  | { readonly protocol: 2; readonly base: string; readonly advertisement: Advertisement }
  | { readonly protocol: 0; readonly base: string; readonly refs: readonly Ref[] }

async function readGreeting(
  address: string,
  advertisement: Advertisement,
  signal: AbortSignal,
): Promise<Greeting> {
  const { getRemoteInfo2 } = await import('isomorphic-git')
  const { base } = advertisement
  const http = clientOf(address, advertisement, signal)
  const info = await understood(address, () => getRemoteInfo2({ http, url: base }), signal)
  const format = info.capabilities['object-format'] ?? 'sha1'
  if (format !== 'sha1')
    throw new Failure('repository-unsupported', `${address}: uses ${format} object names`)
  if (info.protocolVersion === 2) return { protocol: 2, base, advertisement }
  return { protocol: 0, base, refs: toRefs(address, info.refs ?? []) }
}

/** What isomorphic-git throws of its own means that it does not understand the answer. */
async function understood<T>(address: string, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof Failure) throw error
    throw unusable(address, 'answers something that is not of git', error)
  }
}

function toRefs(address: string, refs: readonly ServerRef[]): readonly Ref[] {
  return refs.map(({ ref, oid, target, peeled }) => {
    if (![oid, peeled ?? oid].every(one => /^[0-9a-f]{40}$/.test(one)))
      throw unusable(address, 'answers something that is not of git')
    return {
      name: ref,
      oid,
      ...(peeled === undefined ? {} : { peeled }),
      ...(target === undefined ? {} : { target }),
    }
  })
}
