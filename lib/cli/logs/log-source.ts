import type { Failure } from '../../errors.ts'
import type { Logged, LogLine, LogSpan } from '../../state/running/logged.ts'

/** A site whose containers' output is read. */
export type LogSite = {
  readonly site: string
  logged(signal: AbortSignal): Promise<readonly Logged[]>
  log(container: string, span: LogSpan, signal: AbortSignal): AsyncIterable<LogLine>
}

/** A container on a site. */
export type LogSource = { readonly site: LogSite; readonly one: Logged }

/** A line with the container that wrote it. */
export type SourcedLine = LogLine & { readonly source: LogSource }

/** Where lines and what is wrong go. `line` resolves once there is room for the next one. */
export type LogSink = {
  line(line: SourcedLine): Promise<void>
  failure(failure: Failure): void
  note(words: string): void
}

/** So many containers are read at the same time. Each takes a connection, or a channel of one. */
export const mostAtOnce = 100
