import { Failure } from '../../errors.ts'
import { gitLimits, tooLarge } from '../limits.ts'
import { foreignText } from '../text.ts'
import { demandNoError, type Packet, packetText } from '../wire/pkt-line.ts'

/** Returns the failure for a server that answers, but not as a git server should. */
export function unusable(address: string, what: string, cause?: unknown): Failure {
  return new Failure('git-unreachable', `${address}: ${what}`, { cause })
}

/**
 * Returns the lines of an answer. Fails with `git-unreachable` if the answer does not end with a flush, as git's
 * answers do, or contains an error, and with `repository-too-large`.
 */
export async function answerLines(
  packets: AsyncIterable<Packet>,
  address: string,
): Promise<readonly string[]> {
  const lines: string[] = []
  let ended = false
  for await (const packet of packets) {
    ended = packet.kind === 'flush'
    if (packet.kind !== 'data') continue
    const line = packetText(packet.bytes)
    demandNoError(line, reason => unusable(address, foreignText(reason)))
    if (lines.push(line) > gitLimits.refs) throw tooLarge(address, `has more than ${gitLimits.refs} refs`)
  }
  if (!ended) throw unusable(address, 'the answer breaks off')
  return lines
}
