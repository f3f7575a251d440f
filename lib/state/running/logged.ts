import type { Holder } from '../identity.ts'
import type { LiveContainer } from './live.ts'

/** A container of Tallyman on an engine, whichever environment it is of, as its labels say. */
export type Logged = Holder &
  Pick<
    LiveContainer,
    'id' | 'engineName' | 'application' | 'service' | 'instance' | 'container' | 'role' | 'state'
  >

/** Which lines of a container are read. */
export type LogSpan = {
  /** Only lines from this time on, in ISO 8601. */
  readonly since?: string
  /** Only lines after this one, by its `at`. */
  readonly after?: string
  /** Only the last lines: so many. */
  readonly tail?: number
  /** Whether the lines that are still to come are waited for. */
  readonly follow: boolean
}

/** A line that a container wrote, without its line break, colors and secrets. */
export type LogLine = {
  /** When the engine got it: ISO 8601 in UTC, to the nanosecond. Texts of two times are in the order of the times. */
  readonly at: string
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}
