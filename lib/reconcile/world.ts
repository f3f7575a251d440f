import type { Config } from '../config.ts'
import type { Engine } from '../engine.ts'
import type { Problem } from '../errors.ts'
import type { Source } from '../git/source.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { Pauses } from '../registry/pause.ts'
import type { SopsMemory } from '../secrets/repository.ts'
import type { DesiredState } from '../state/application/desired.ts'
import type { EnvironmentPlace, Identity } from '../state/identity.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import type { Writer } from '../writer.ts'
import type { Redaction } from './repository/redaction.ts'
import type { Queue } from './site/queue.ts'
import type { Turn } from './site/turns.ts'
import type { IngressStatus } from './status/ingress-status.ts'

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
  /** Where the work of all sites waits for its turn. */
  readonly queue: Queue
  /** What computes for a site waits for its turn, so that the event loop turns before the next site. */
  readonly turn: Turn
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

/** When the tags of a commit were last checked, on the steady clock, and which had moved. */
export type Tags = { readonly checkedMs: number; readonly moved: readonly Problem[] }

/**
 * What one look at the repository leaves for the next, so that a look without changes is cheap. Losing it costs only
 * time.
 */
export type Memory = {
  /** The environment's name and directory in the repository. */
  place?: EnvironmentPlace
  /** The names that it may have on engines, which sites may use too. */
  called?: readonly string[]
  /** Its name on engines, and its repository. */
  identity?: Identity
  /** The commit of the last look-up of the ref, and its time on the steady clock. */
  lookedUp?: { readonly commit: string; readonly atMs: number }
  /** The desired state of a commit; `settled` if every image is pinned and nothing waits for a registry. */
  desired?: {
    readonly commit: string
    /** The repository at that commit. A directory cannot be read again as it was. */
    readonly snapshot: Snapshot
    /** The directory of the environment in the repository. */
    readonly directory: string
    readonly resolved: DesiredState
    readonly secrets: { readonly isAsked: boolean; readonly mark: string }
    /** The mark of the operator's settings of the ingress, whose files may be renewed at any time. */
    readonly ingressMark: string
    /** How the ingresses of other environments affect it, as a text to compare. */
    readonly besides: string
    readonly pinned: DesiredState
    readonly settled: boolean
    readonly tags: Tags
  }
  /** Earlier states, by commit, of services that cannot get what is wanted now. */
  before?: Map<string, DesiredState>
  /** Why earlier commits could not be read when that was last reported, by commit. */
  unreadable?: Map<string, string>
  /** The key of the marks of secrets, and the result of the last decryption. */
  secrets?: { readonly key: Uint8Array; readonly sops: SopsMemory }
  /** The last reports of the ingresses, and when they were asked for on the steady clock. */
  ingress?: { readonly askedMs: number; readonly status: Promise<readonly IngressStatus[]> }
  /** What the passes over each site left, by the name of the site. */
  sites?: Map<string, SiteMemory>
  /** Whether all engines were asked who they are. */
  haveMet?: boolean
  /** The sites that turned out to be one engine, by the engine's own identity. */
  sitesOfEngines?: Map<string, Set<string>>
  /** The site over which a pass runs that may write, by the engine's own identity. */
  atWork?: Map<string, string>
}

/** What one pass over a site leaves for the next one there. Losing it costs only time. */
export type SiteMemory = {
  /** The engine's own identity, once the site was asked for it. */
  engineId?: string
  /** The name under which this process is the writer there. */
  claimed?: string
  /** Whether strangers held the name of the claim when it was last made. */
  isUsurped?: boolean
  /** The newest recorded version of each application, by name (A6). */
  versions?: Map<string, string>
  /** The plan that was applied last, until a pass is in sync after it (G2). */
  lastApplied?: { readonly planId: string }
  /** When the last attempt at a service began on the steady clock, and what identifies that attempt in the journal. */
  attempts?: Map<string, { readonly release: string; readonly begunAtMs: number; readonly sinceMs: number }>
  /** Whether the site's networks were looked at since the process started. */
  lookedAround?: boolean
}
