import type { Readable } from 'node:stream'

/**
 * Yields the values of a stream of JSON lines as they arrive. Ends with the stream, and throws if the stream breaks.
 */
export async function* jsonLines<T>(stream: Readable): AsyncGenerator<T> {
  stream.setEncoding('utf8')
  let rest = ''
  for await (const chunk of stream) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
  if (rest.trim() !== '') yield JSON.parse(rest)
}
