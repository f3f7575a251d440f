import { Failure } from '../../errors.ts'
import { limits } from '../limits.ts'
import { type Connection, unusable } from './connection.ts'
import { delimiter, flush, packetLine, textOf } from './pkt-line.ts'

export type Wish = {
  readonly base: string
  readonly protocol: 0 | 2
  readonly wants: readonly string[]
  /** Commits that are complete on our side; the server sends only what they lack. */
  readonly haves: readonly string[]
  /** How many commits back; absent: all of the history. */
  readonly depth?: number
}

/**
 * Asks for the objects of commits and yields the bytes of one pack, self-contained but for the objects of `haves`.
 * Fails with `commit-unreachable` when the server refuses a commit, otherwise as connections do.
 */
export async function* fetchPack(
  connection: Connection,
  wish: Wish,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const { base, protocol } = wish
  const body = protocol === 2 ? fetchCommand(wish) : uploadRequest(wish)
  let complete = false
  for await (const packet of await connection.uploadPack(
    base,
    { protocol, body, bytes: limits.packBytes },
    signal,
  )) {
    // What follows the pack ends with a flush; without one the server gave up on the way.
    complete = packet.kind === 'flush'
    if (packet.kind !== 'data') continue
    const { bytes } = packet
    if (bytes[0] === packBand) yield bytes.subarray(1)
    else if (bytes[0] === errorBand) throw unusable(base, textOf(bytes.subarray(1)))
    else if (bytes[0] !== progressBand) demandNoError(base, textOf(bytes))
  }
  if (!complete) throw unusable(base, 'the answer breaks off')
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

/** Lines that say what is shallow, acknowledged or follows are of no interest: we know what we asked for. */
function demandNoError(base: string, line: string): void {
  if (!line.startsWith('ERR ')) return
  const reason = line.slice(4)
  if (/not our ref|unadvertised|no such (?:object|commit)|bad object/i.test(reason))
    throw new Failure('commit-unreachable', `${base}: ${reason}`)
  throw unusable(base, reason)
}
