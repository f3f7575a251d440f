import type { Config } from '../config.ts'
import type { Engine } from '../engine.ts'
import type { Source } from '../git/source.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { Pauses } from '../registry/api/pause.ts'
import type { EngineClaims } from '../writer/engine-claims.ts'
import type { Writer } from '../writer.ts'
import type { Pacing } from './concurrency/pacing.ts'
import type { Pools } from './concurrency/pools.ts'
import type { Memory } from './memory.ts'
import type { Redaction } from './repository/secrets/redaction.ts'

/** What the passes over one environment work with. It is made in one place and passed down. */
export type World = {
  /** As configured; undefined: the only environment of the repository. */
  readonly environment: string | undefined
  readonly config: Config
  readonly source: Source
  /** The sites of this environment; all sites until it is known which environment it is. */
  readonly engines: readonly Engine[]
  /** The configured names, by directory, of the environments that this process works on. */
  readonly running: Map<string, string>
  readonly journal: Journal
  readonly log: Log
  readonly writer: Writer
  readonly claims: EngineClaims
  /** Where the work on all sites waits for a place. */
  readonly pools: Pools
  /** What computes for a site waits here, so that the event loop turns before the next site. */
  readonly pacing: Pacing
  /** Registries that asked for a pause. */
  readonly pauses: Pauses
  /** The time of day, for what is recorded, shown, or outlives the process. */
  readonly nowMs: () => number
  /** The steady clock, for every age and deadline within the process. */
  readonly steadyMs: () => number
  /** The environment variables of the process, which may contain secrets. */
  readonly env: NodeJS.ProcessEnv
  /** What `engines` hide in the output of containers. */
  readonly redaction: Redaction
  readonly memory: Memory
}
