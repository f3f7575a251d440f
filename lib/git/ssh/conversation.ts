import { secondsText } from '../../text/time.ts'
import { later } from '../../wait/timer.ts'
import { tooLarge } from '../limits.ts'
import { type Program, startProgram } from '../program.ts'
import { unusable } from '../remote/answer.ts'
import { type Packet, readPackets } from '../wire/pkt-line.ts'
import type { GitService } from '../wire/refs.ts'
import type { SshAddress } from './address.ts'
import { type SshLogin, sshArguments } from './command.ts'
import { demandKey } from './key.ts'
import { demandKnownHosts, withLine } from './known-host.ts'
import { isKeyInQuestion, keyTypeIn, refusalOf } from './refusal.ts'

export type SshLimits = {
  /** The time until the server speaks SSH. */
  readonly connectMs: number
  /** The time without a byte from the server. */
  readonly idleMs: number
  /** The time from the first call to the last byte. */
  readonly totalMs: number
}

/** The limits of a conversation with a server. */
export const usualLimits: SshLimits = { connectMs: 10_000, idleMs: 30_000, totalMs: 300_000 }

/** One connection to a service of git on a server, which speaks first. Disposing of it closes it. */
export type Conversation = AsyncDisposable & {
  /** Everything that the server says. It can be read once, packet by packet. */
  readonly packets: AsyncIterator<Packet>
  say(what: string | Uint8Array): void
  /** Sets how many bytes the server may send from now on; none before the first call. */
  allow(bytes: number): void
}

/**
 * Connects to a repository over SSH with finite limits. Fails as `demandKey` and `demandKnownHosts` do. Reading fails
 * with `git-host-unknown`, `git-host-changed`, `git-auth-failed`, `git-not-found`, `git-unreachable`,
 * `repository-too-large` or `program-missing`.
 */
export async function converse(
  address: SshAddress,
  login: SshLogin,
  limits: SshLimits,
  signal: AbortSignal,
  service: GitService = 'git-upload-pack',
): Promise<Conversation> {
  await demandKey(login.keyFile)
  await demandKnownHosts(login.knownHostsFile)
  signal.throwIfAborted()
  const { url } = address
  const program = startProgram('ssh', sshArguments(address, login, limits.connectMs, service), {
    GIT_PROTOCOL: 'version=2',
  })
  let left = 0
  let cut: unknown
  const cutWith = (reason: unknown) => {
    cut ??= reason
    program.kill()
  }
  const late = (what: string) => () => cutWith(unusable(url, what))
  const idle = later(limits.idleMs, late(`no byte for ${secondsText(limits.idleMs)}`))
  const total = later(limits.totalMs, late(`did not finish within ${secondsText(limits.totalMs)}`))
  const abort = () => cutWith(signal.reason)
  signal.addEventListener('abort', abort, { once: true })

  async function* bytes(): AsyncIterable<Uint8Array> {
    for await (const chunk of outputOf(program)) {
      idle.again()
      left -= chunk.byteLength
      if (left < 0) throw tooLarge(url, 'the answer is larger than is read')
      yield chunk
      idle.again()
    }
    const ending = await program.ended
    if (cut !== undefined) throw cut
    if (ending.code === 0) return
    const refusal = refusalOf(address, login, ending)
    if (!isKeyInQuestion(refusal, ending)) throw refusal
    throw await withLine(refusal, address, keyTypeIn(ending.said), signal)
  }

  return {
    packets: readPackets(bytes(), what => unusable(url, what))[Symbol.asyncIterator](),
    say(what) {
      program.input.write(what)
    },
    allow(most) {
      left = most
    },
    async [Symbol.asyncDispose]() {
      idle.cancel()
      total.cancel()
      signal.removeEventListener('abort', abort)
      await program[Symbol.asyncDispose]()
    },
  }
}

/** Ends with the program, however it ended; its exit says why. */
async function* outputOf({ output }: Program): AsyncIterable<Buffer> {
  const chunks: AsyncIterator<Buffer> = output[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await chunks.next().catch(() => ({ done: true as const, value: undefined }))
    if (done || value === undefined) return
    yield value
  }
}
