import { Failure } from '../../errors.ts'
import { gitLimits } from '../limits.ts'
import type { Ref } from '../ref.ts'
import { fetchPack, type Wish } from '../wire/fetch.ts'
import { readPackets } from '../wire/pkt-line.ts'
import { demandTaken, type Update, updateRequest } from '../wire/push.ts'
import { type Introduction, introductionOf, listCommand, refsIn } from '../wire/refs.ts'
import { unusable } from './answer.ts'
import type { HttpLogin } from './credentials.ts'
import { askAdvertisement, askLines, askServer, typeOf } from './http.ts'
import { branchesAndTags, demandSha1, firstExisting } from './refs-below.ts'

/**
 * A repository on a git server.
 * - A server of protocol 2 is asked for its capabilities once, and again after a failure. After that, a look-up is one
 *   request, and two for a tag.
 * - A server of protocol 0 lists all its refs in each answer.
 * - Credentials are read before each request, so that changed ones are used at once.
 */
export type GitServer = {
  /** Finds the first of the full names that exists. */
  find(names: readonly string[], signal: AbortSignal): Promise<Ref | undefined>
  /** Lists all branches and tags. */
  list(signal: AbortSignal): Promise<readonly Ref[]>
  /** Yields the bytes of one pack. Fails with `commit-unreachable` if the server refuses a commit. */
  pack(wish: Wish, signal: AbortSignal): AsyncIterable<Buffer>
  /**
   * Moves a branch on to a commit. Fails with `branch-moved` if it is elsewhere by now, and with `push-refused` if the
   * server does not take the commit.
   */
  push(update: Update, signal: AbortSignal): Promise<void>
}

/**
 * Opens the server at an address without credentials. Everything fails as `askServer` and the headers of the login do,
 * and with `repository-unsupported` if the repository uses SHA-256.
 */
export function openServer(address: string, login: HttpLogin): GitServer {
  let greeting: Greeting | undefined

  async function greet(signal: AbortSignal): Promise<Greeting> {
    const { base, lines } = await askAdvertisement(address, await login.headers(signal), signal)
    return { ...demandSha1(address, understood(introductionOf(lines))), base }
  }

  async function refsBelow(current: Greeting, prefix: string, signal: AbortSignal): Promise<readonly Ref[]> {
    if (current.protocol === 0) return current.refs.filter(({ name }) => name.startsWith(prefix))
    const question = { base: current.base, headers: await login.headers(signal), body: listCommand(prefix) }
    return understood(refsIn(await askLines(address, question, signal)))
  }

  function understood<T>(answer: T | undefined): T {
    if (answer === undefined) throw unusable(address, 'answers something that is not of git')
    return answer
  }

  /** After a failure, nothing that was learnt of the server is kept. */
  async function asking<T>(ask: (current: Greeting) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      if (greeting?.protocol !== 2) greeting = await greet(signal)
      return await ask(greeting)
    } catch (error) {
      greeting = undefined
      if (error instanceof Failure && error.code === 'git-auth-failed') login.refused()
      throw error
    }
  }

  return {
    find: (names, signal) =>
      asking(current => firstExisting(names, prefix => refsBelow(current, prefix, signal)), signal),
    list: signal => asking(current => branchesAndTags(prefix => refsBelow(current, prefix, signal)), signal),
    async *pack(wish, signal) {
      greeting ??= await greet(signal)
      const { base, protocol } = greeting
      yield* fetchPack({ address, base, protocol, headers: await login.headers(signal) }, wish, signal)
    },
    async push(update, signal) {
      const service = 'git-receive-pack'
      const headers = await login.headers(signal)
      const { base, lines } = await askAdvertisement(address, headers, signal, service)
      const introduction = demandSha1(address, understood(introductionOf(lines, service)))
      const query = {
        url: `${base}/${service}`,
        method: 'POST',
        headers: { ...headers, 'content-type': typeOf(service, 'request') },
        body: updateRequest(introduction, update, address),
        limits: { bytes: gitLimits.refBytes },
      } as const
      const { body } = await askServer(address, query, signal, service)
      const packets = readPackets(body, what => unusable(address, what))
      await demandTaken(packets, update, address)
    },
  }
}

/** The protocol of a server: in protocol 2 it lists what is asked for, in protocol 0 it lists everything at once. */
type Greeting = Introduction & { readonly base: string }
