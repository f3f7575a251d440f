import { Refusal } from '../server/refusal.ts'
import type { Container, Line } from './container.ts'
import type { Stream } from './process.ts'

/** Returns what a container wrote, as the engine sends it: in frames, unless it has a terminal. */
export function logOf({ log, config, hostConfig }: Container, query: URLSearchParams): Buffer {
  const isAsked = (stream: Stream) => ['1', 'true'].includes(query.get(stream) ?? '')
  if (!isAsked('stdout') && !isAsked('stderr'))
    throw new Refusal(400, 'Bad parameters: you must choose at least one stream')
  if (hostConfig.LogConfig?.Type === 'none')
    throw new Refusal(501, 'configured logging driver does not support reading')
  const since = textOf(query.get('since') ?? '0')
  const lines = log.filter(({ at, stream }) => isAsked(stream) && at.text >= since).flatMap(linesOf)
  const tail = query.get('tail') ?? 'all'
  const chosen = tail === 'all' ? lines : lines.slice(Math.max(0, lines.length - Number(tail)))
  const hasTimes = ['1', 'true'].includes(query.get('timestamps') ?? '')
  return Buffer.concat(
    chosen.map(({ at, stream, text }) => {
      const line = hasTimes ? `${at.text} ${text}` : text
      return config.Tty ? Buffer.from(line.replaceAll('\n', '\r\n')) : framed(stream, line)
    }),
  )
}

/** Seconds with as many as nine places, as the engine writes a moment: a number would not be exact. */
function textOf(seconds: string): string {
  const [whole = '', part = ''] = seconds.split('.')
  return `${new Date(Number(whole) * 1000).toISOString().slice(0, -5)}.${part.padEnd(9, '0')}Z`
}

function linesOf(line: Line): readonly Line[] {
  return line.text.split(/(?<=\n)/).map(text => ({ ...line, text }))
}

/** Returns a text with the engine's header: a byte for the stream, three zero bytes, four for the length. */
export function framed(stream: Stream, text: string): Buffer {
  const bytes = Buffer.from(text)
  const header = Buffer.alloc(8)
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 0)
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}
