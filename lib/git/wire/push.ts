import { Failure } from '../../errors.ts'
import { foreignText } from '../text.ts'
import { demandNoError, flush, type Packet, packetLine, packetText, readPackets } from './pkt-line.ts'
import type { Introduction } from './refs.ts'

/** A branch that is to move on to a commit. */
export type Update = {
  /** `refs/heads/main` */
  readonly branch: string
  /** Where it is. A server takes the update only if that is still so. */
  readonly from: string
  readonly to: string
  /** The objects that the server does not have, as a pack. */
  readonly pack: Buffer
}

/**
 * Returns the request that moves a branch on, and nothing else. Fails with `branch-moved` if the server says that the
 * branch is elsewhere, and with `push-refused` if it would not say how it went.
 */
export function updateRequest(
  introduction: Introduction,
  { branch, from, to, pack }: Update,
  address: string,
): Buffer {
  if (introduction.protocol !== 0 || !introduction.capabilities.includes('report-status'))
    throw new Failure('push-refused', `${address}: does not take a push as other git servers do`)
  const { refs, capabilities } = introduction
  const now = refs.find(({ name }) => name === branch)?.oid
  if (now !== from) throw movedOn(address, branch)
  const wanted = ['report-status', 'side-band-64k', 'object-format=sha1'].filter(one =>
    capabilities.includes(one),
  )
  const command = `${from} ${to} ${branch}\0${[...wanted, 'agent=tallyman'].join(' ')}`
  return Buffer.concat([Buffer.from(`${packetLine(command)}${flush}`), pack])
}

/** Returns the failure for a branch that got another commit meanwhile. */
export function movedOn(address: string, branch: string): Failure {
  return new Failure('branch-moved', `${address}: ${branch} got another commit meanwhile`)
}

/** Reads how an update went. Fails with `push-refused`, in the words of the server and of its hooks. */
export async function demandTaken(
  packets: AsyncIterable<Packet>,
  { branch }: Update,
  address: string,
): Promise<void> {
  const { lines, said } = await reportIn(packets, address)
  if (lines.includes('unpack ok') && lines.includes(`ok ${branch}`)) return
  const refused = lines.find(line => line.startsWith(`ng ${branch} `))?.slice(`ng ${branch} `.length)
  const unpacked = lines.find(line => line.startsWith('unpack ') && line !== 'unpack ok')
  const words = [refused ?? unpacked ?? 'does not say that it took the commit', ...said]
  throw new Failure('push-refused', `${address}: ${words.map(foreignText).filter(Boolean).join('; ')}`)
}

type Report = {
  readonly lines: readonly string[]
  /** What hooks of the server said to whoever pushes. */
  readonly said: readonly string[]
}

/** The report stands in the answer itself, or within one of its bands. */
async function reportIn(packets: AsyncIterable<Packet>, address: string): Promise<Report> {
  const lines: string[] = []
  const banded: Buffer[] = []
  let said = ''
  for await (const packet of packets) {
    if (packet.kind !== 'data') continue
    const { bytes } = packet
    if (bytes[0] === reportBand) banded.push(bytes.subarray(1))
    else if (bytes[0] === messageBand || bytes[0] === errorBand)
      said = `${said}${bytes.toString('utf8', 1)}`.slice(0, mostSaid)
    else lines.push(lineOf(bytes, address))
  }
  const within = readPackets(each(banded), what => unclear(address, what))
  for await (const packet of within) if (packet.kind === 'data') lines.push(lineOf(packet.bytes, address))
  return { lines, said: tellingLines(said) }
}

const reportBand = 1
const messageBand = 2
const errorBand = 3
const mostSaid = 16_384

function lineOf(bytes: Buffer, address: string): string {
  const line = packetText(bytes)
  demandNoError(line, reason => unclear(address, foreignText(reason)))
  return line
}

async function* each(chunks: readonly Buffer[]): AsyncIterable<Buffer> {
  yield* chunks
}

function unclear(address: string, what: string): Failure {
  return new Failure('git-unreachable', `${address}: ${what}`)
}

/** The most lines of a server's messages that are shown. */
const mostLines = 5

function tellingLines(said: string): readonly string[] {
  return said
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => /[a-z]/i.test(line))
    .slice(0, mostLines)
}
