import type { Readable } from 'node:stream'
import { eachChunk } from './each-chunk.ts'

/**
 * Calls back for the value of each line of a stream of JSON lines as it arrives, and resolves at the end of the stream.
 * Rejects if the stream breaks, if a line is no JSON, and if the callback fails; nothing more is read then.
 */
export async function eachJsonLine<T>(stream: Readable, onValue: (value: T) => void): Promise<void> {
  stream.setEncoding('utf8')
  let rest = ''
  await eachChunk<string>(stream, chunk => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') onValue(JSON.parse(line))
  })
  if (rest.trim() !== '') onValue(JSON.parse(rest))
}
