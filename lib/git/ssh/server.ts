import { gitLimits as most } from '../limits.ts'
import type { Ref } from '../ref.ts'
import { answerLines, unusable } from '../remote/answer.ts'
import { branchesAndTags, demandSha1, firstExisting } from '../remote/refs-below.ts'
import type { GitServer } from '../remote/server.ts'
import { packIn, requestFor, type Wish } from '../wire/fetch.ts'
import type { Packet } from '../wire/pkt-line.ts'
import { demandTaken, updateRequest } from '../wire/push.ts'
import {
  type GitService,
  type Introduction,
  introductionOf,
  listCommand,
  refsIn,
  serviceLine,
} from '../wire/refs.ts'
import type { SshAddress } from './address.ts'
import type { SshLogin } from './command.ts'
import { type Conversation, converse, type SshLimits, usualLimits } from './conversation.ts'

/**
 * Opens a repository on a server over SSH. Each question is a connection of its own, so that a
 * replaced or revoked key counts at once. Everything fails as reading a `Conversation` does, with `commit-unreachable`
 * for a commit that the server refuses, and with `repository-unsupported` for SHA-256.
 */
export function openSshServer(
  address: SshAddress,
  login: SshLogin,
  limits: SshLimits = usualLimits,
): GitServer {
  const { url } = address

  async function asking<T>(
    ask: (refsBelow: (prefix: string) => Promise<readonly Ref[]>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    await using talk = await converse(address, login, limits, signal)
    const introduction = await greet(talk)
    return await ask(prefix => refsBelow(talk, introduction, prefix))
  }

  async function greet(talk: Conversation, service: GitService = 'git-upload-pack'): Promise<Introduction> {
    talk.allow(most.refBytes)
    const lines = await answerLines(untilFlush(talk.packets), url)
    // Over HTTP the server names the service first. Over SSH the client has asked for it by name.
    return demandSha1(url, understood(introductionOf([serviceLine(service), ...lines], service)))
  }

  async function refsBelow(
    talk: Conversation,
    introduction: Introduction,
    prefix: string,
  ): Promise<readonly Ref[]> {
    if (introduction.protocol === 0) return introduction.refs.filter(({ name }) => name.startsWith(prefix))
    talk.say(listCommand(prefix))
    return understood(refsIn(await answerLines(untilFlush(talk.packets), url)))
  }

  async function* untilFlush(packets: AsyncIterator<Packet>): AsyncIterable<Packet> {
    for (;;) {
      const { done, value } = await packets.next()
      if (done) throw unusable(url, 'the answer breaks off')
      yield value
      if (value.kind === 'flush') return
    }
  }

  function understood<T>(answer: T | undefined): T {
    if (answer === undefined) throw unusable(url, 'answers something that is not of git')
    return answer
  }

  return {
    find: (names, signal) => asking(refsBelow => firstExisting(names, refsBelow), signal),
    list: signal => asking(branchesAndTags, signal),
    async *pack(wish: Wish, signal) {
      await using talk = await converse(address, login, limits, signal)
      const { protocol } = await greet(talk)
      talk.allow(most.packBytes)
      talk.say(requestFor(protocol, wish))
      // In protocol 0 the answer ends with the connection, and may list shallow commits first. In protocol 2 the server
      // waits for another question.
      yield* packIn(protocol === 2 ? untilFlush(talk.packets) : untilEnd(talk.packets), url)
    },
    async push(update, signal) {
      const service = 'git-receive-pack'
      await using talk = await converse(address, login, limits, signal, service)
      const introduction = await greet(talk, service)
      talk.say(updateRequest(introduction, update, url))
      await demandTaken(untilFlush(talk.packets), update, url)
    },
  }
}

async function* untilEnd(packets: AsyncIterator<Packet>): AsyncIterable<Packet> {
  for (let next = await packets.next(); !next.done; next = await packets.next()) yield next.value
}
