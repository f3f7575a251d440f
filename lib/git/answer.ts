import { Failure } from '../errors.ts'
import { limits } from './limits.ts'
import { oneLine } from './text.ts'
import { demandNoError, type Packet, textOf } from './wire/pkt-line.ts'

/** What is thrown when a server answers, but not as a git server should. */
export function unusable(address: string, what: string, cause?: unknown): Failure {
  return new Failure('git-unreachable', `${address}: ${what}`, { cause })
}

/**
 * The lines of an answer that ends as answers of git do, with a flush. Fails with `git-unreachable` where it does not,
 * or is an error, and with `repository-too-large`.
 */
export async function linesIn(packets: AsyncIterable<Packet>, address: string): Promise<readonly string[]> {
  const lines: string[] = []
  let ended = false
  for await (const packet of packets) {
    ended = packet.kind === 'flush'
    if (packet.kind !== 'data') continue
    const line = textOf(packet.bytes)
    demandNoError(line, reason => unusable(address, oneLine(reason)))
    if (lines.push(line) > limits.refs)
      throw new Failure('repository-too-large', `${address}: has more than ${limits.refs} refs`)
  }
  if (!ended) throw unusable(address, 'the answer breaks off')
  return lines
}
