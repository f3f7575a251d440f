import { logLinesOf } from '../../../../lib/docker/logs/lines.ts'
import type { LogLine } from '../../../../lib/state/running/logged.ts'

/** A piece of output as the engine frames it. */
export function frame(stream: 1 | 2 | 3, text: string | Buffer): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

/** What the engine sends, in chunks of so many bytes. */
async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

const hidePassword = (text: string) => text.replaceAll('hunter2', '[REDACTED]')

/** The lines that are read in what the engine sends; a password is hidden in them. */
export async function read(
  bytes: Buffer,
  { size = 1 << 20, isTerminal = false, hide = hidePassword } = {},
): Promise<readonly LogLine[]> {
  const lines: LogLine[] = []
  for await (const line of logLinesOf(chunks(bytes, size), isTerminal, hide)) lines.push(line)
  return lines
}
