import type { Readable } from 'node:stream'
import { mostLineCharacters, tooMuch } from './connection/size-limits.ts'
import { eachChunk } from './each-chunk.ts'

/**
 * Calls back for the value of each line of a stream of JSON lines as it arrives, and resolves at the end of the stream.
 * Rejects if the stream breaks, if a line is no JSON or never ends, and if the callback fails; nothing more is read then.
 */
export async function eachJsonLine<T>(stream: Readable, onValue: (value: T) => void): Promise<void> {
  stream.setEncoding('utf8')
  let parts: string[] = []
  let characters = 0
  const keep = (part: string) => {
    characters += part.length
    if (characters > mostLineCharacters) throw tooMuch('a line of a stream', mostLineCharacters, 'characters')
    parts.push(part)
  }
  const end = () => {
    const line = parts.join('')
    parts = []
    characters = 0
    if (line.trim() !== '') onValue(JSON.parse(line))
  }
  await eachChunk<string>(stream, chunk => {
    for (const [index, part] of chunk.split('\n').entries()) {
      if (index > 0) end()
      keep(part)
    }
  })
  end()
}
