import { Failure } from '../../errors.ts'
import { gitLimits } from '../limits.ts'
import { unusable } from '../remote/answer.ts'
import { askServer } from '../remote/http.ts'
import { foreignText } from '../text.ts'
import {
  delimiter,
  demandNoError,
  flush,
  type Packet,
  packetLine,
  packetText,
  readPackets,
} from './pkt-line.ts'

/** The server that is asked for objects, and how. */
export type Target = {
  /** For messages. */
  readonly address: string
  readonly base: string
  readonly protocol: 0 | 2
  readonly headers: Readonly<Record<string, string>>
}

export type Wish = {
  readonly wants: readonly string[]
  /** Commits that are complete on our side. The server sends only what they lack. */
  readonly haves: readonly string[]
  /** The number of commits to go back; absent: the whole history. */
  readonly depth?: number
}

/**
 * Asks for the objects of commits, and yields the bytes of one pack. Only objects of `haves` may be missing in it.
 * Fails with `commit-unreachable` if the server refuses a commit, and otherwise as `askServer` does.
 */
export async function* fetchPack(
  { address, base, protocol, headers }: Target,
  wish: Wish,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const query = {
    url: `${base}/git-upload-pack`,
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/x-git-upload-pack-request',
      ...(protocol === 2 ? { 'git-protocol': 'version=2' } : {}),
    },
    body: Buffer.from(requestFor(protocol, wish)),
    limits: { bytes: gitLimits.packBytes },
  } as const
  const { body } = await askServer(address, query, signal)
  yield* packIn(
    readPackets(body, what => unusable(address, what)),
    address,
  )
}

/** Returns the question for a pack in a protocol. */
export function requestFor(protocol: 0 | 2, wish: Wish): string {
  return protocol === 2 ? fetchCommand(wish) : uploadRequest(wish)
}

/** Yields the bytes of the pack in a server's answer to that question. Fails as `fetchPack` does. */
export async function* packIn(packets: AsyncIterable<Packet>, address: string): AsyncIterable<Buffer> {
  let complete = false
  for await (const packet of packets) {
    // A flush follows the pack. Without it, the server gave up on the way.
    complete = packet.kind === 'flush'
    if (packet.kind !== 'data') continue
    const { bytes } = packet
    if (bytes[0] === packBand) yield bytes.subarray(1)
    else if (bytes[0] === errorBand) throw refusal(address, packetText(bytes.subarray(1)))
    // Lines about shallow or acknowledged commits are ignored, because they only repeat the question.
    else if (bytes[0] !== progressBand) demandNoError(packetText(bytes), reason => refusal(address, reason))
  }
  if (!complete) throw unusable(address, 'the answer breaks off')
}

const packBand = 1
const progressBand = 2
const errorBand = 3

function fetchCommand({ wants, haves, depth }: Wish): string {
  const lines = [
    ...wants.map(oid => `want ${oid}`),
    ...(depth === undefined ? [] : [...haves.map(oid => `shallow ${oid}`), `deepen ${depth}`]),
    ...haves.map(oid => `have ${oid}`),
    'ofs-delta',
    'no-progress',
    'done',
  ]
  return [packetLine('command=fetch'), delimiter, ...lines.map(packetLine), flush].join('')
}

function uploadRequest({ wants, haves, depth }: Wish): string {
  const capabilities = 'side-band-64k ofs-delta no-progress agent=tallyman'
  const wanted = wants.map((oid, index) => (index === 0 ? `want ${oid} ${capabilities}` : `want ${oid}`))
  const shallow = depth === undefined ? [] : [...haves.map(oid => `shallow ${oid}`), `deepen ${depth}`]
  const had = haves.map(oid => `have ${oid}`)
  return [...[...wanted, ...shallow].map(packetLine), flush, ...[...had, 'done'].map(packetLine)].join('')
}

/** Returns the failure for a server that does not have the commit, or hands out only what refs name. */
function refusal(address: string, reason: string): Failure {
  if (/not our ref|unadvertised|no such (?:object|commit)|bad object/i.test(reason))
    return new Failure('commit-unreachable', `${address}: ${foreignText(reason)}`)
  return unusable(address, foreignText(reason))
}
