import { stripVTControlCharacters } from 'node:util'
import type { LogLine } from '../../state/running/logged.ts'
import { withoutEnd } from '../../text/without-end.ts'
import type { Hide } from '../container/output/excerpt.ts'
import { type Assembled, createAssembler } from './assemble.ts'
import { framesOf } from './frames.ts'
import { takeStamp, takeStamps } from './stamp.ts'

/** So much of a line is shown, in characters. */
const mostShown = 64 * 1024
/**
 * So much of a line is in memory. What is longer than a line may be is cut off after secrets were hidden, and the kernel
 * lets no variable be longer than the difference, so no secret is cut in two.
 */
const mostHeld = 4 * mostShown

/**
 * Yields the lines in what the engine sends of a container, each with its time.
 * - Lines are whole, wherever chunks, frames and the engine's own pieces of a long line begin and end, so that `hide`
 *   sees every secret as it was written (G16). Colors are taken off before, because they might divide one.
 * - Of a line of more than 64 KiB only the beginning is shown, and no more than 256 KiB of it are in memory.
 */
export function logLinesOf(
  chunks: AsyncIterable<Buffer>,
  isTerminal: boolean,
  hide: Hide,
): AsyncGenerator<LogLine> {
  return isTerminal ? terminalLines(chunks, hide) : framedLines(chunks, hide)
}

async function* terminalLines(chunks: AsyncIterable<Buffer>, hide: Hide): AsyncGenerator<LogLine> {
  const assembler = createAssembler(mostHeld)
  const toLine = ({ bytes, isCut }: Assembled): LogLine => {
    const stamped = takeStamps(bytes)
    return { at: stamped.at, stream: 'stdout', text: shown({ bytes: stamped.bytes, isCut }, hide) }
  }
  for await (const chunk of chunks) yield* assembler.add(chunk).map(toLine)
  yield* assembler.rest().map(toLine)
}

async function* framedLines(chunks: AsyncIterable<Buffer>, hide: Hide): AsyncGenerator<LogLine> {
  const streams = {
    stdout: { assembler: createAssembler(mostHeld), at: '' },
    stderr: { assembler: createAssembler(mostHeld), at: '' },
  }
  for await (const { stream, bytes } of framesOf(chunks)) {
    const own = streams[stream]
    const stamped = takeStamp(bytes)
    if (own.assembler.isEmpty()) own.at = stamped.at
    for (const line of own.assembler.add(stamped.bytes)) {
      yield { at: own.at, stream, text: shown(line, hide) }
      own.at = stamped.at
    }
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const { assembler, at } = streams[stream]
    yield* assembler.rest().map(line => ({ at, stream, text: shown(line, hide) }))
  }
}

/** A secret may end behind what is held of a cut line, so its last part is never shown. */
function shown({ bytes, isCut }: Assembled, hide: Hide): string {
  const text = hide(withoutEnd(stripVTControlCharacters(bytes.toString()), '\r'))
  if (!isCut && text.length <= mostShown) return text
  const sure = isCut ? Math.max(0, text.length - (mostHeld - mostShown)) : text.length
  return `${text.slice(0, Math.min(mostShown, sure))} … (the rest of this line is too long to be shown)`
}
