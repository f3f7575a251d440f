import { toFailure } from '../../errors.ts'
import type { LogSpan } from '../../state/running/logged.ts'
import { inOrder } from './in-order.ts'
import { type LogSink, type LogSource, mostAtOnce, type SourcedLine } from './log-source.ts'

/**
 * Hands over what containers have written so far, in order of time. Of very many containers it hands over one hundred
 * after the other, and says so. A container that cannot be read is told, and the others go on. Returns the time of the
 * last line of each, by the id of the container. Fails with `interrupted`.
 */
export async function sayPast(
  sources: readonly LogSource[],
  span: Omit<LogSpan, 'follow'>,
  sink: LogSink,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>()
  if (sources.length > mostAtOnce)
    sink.note(
      `${sources.length} containers: their output is in order of time for ${mostAtOnce} of them at a time; name a service or a site to read fewer`,
    )
  for (let from = 0; from < sources.length; from += mostAtOnce) {
    const streams = sources.slice(from, from + mostAtOnce).map(source => linesOf(source, span, sink, signal))
    for await (const line of inOrder(streams)) {
      last.set(line.source.one.id, line.at)
      await sink.line(line)
    }
  }
  return last
}

async function* linesOf(
  source: LogSource,
  span: Omit<LogSpan, 'follow'>,
  sink: LogSink,
  signal: AbortSignal,
): AsyncGenerator<SourcedLine> {
  try {
    const { site, one } = source
    for await (const line of site.log(one.id, { ...span, follow: false }, signal)) yield { ...line, source }
  } catch (error) {
    const failure = toFailure(error)
    if (failure.code === 'interrupted') throw failure
    // It was removed after it was listed.
    if (failure.code !== 'container-missing') sink.failure(failure)
  }
}
