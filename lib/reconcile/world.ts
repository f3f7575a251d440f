import type { Config } from '../config.ts'
import type { Engine } from '../engine.ts'
import type { Problem } from '../errors.ts'
import type { Source } from '../git/source.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { Pauses } from '../registry/pause.ts'
import type { SopsMemory } from '../secrets/repository.ts'
import type { DesiredState } from '../state/desired.ts'
import type { EnvironmentPlace, Identity } from '../state/identity.ts'
import type { Writer } from '../writer.ts'
import type { IngressStatus } from './ingress-status.ts'
import type { Redaction } from './redaction.ts'

/** What the passes over one environment work with; made in one place and handed down. */
export type World = {
  /** As configured; undefined: the only environment of the repository. */
  readonly environment: string | undefined
  readonly config: Config
  readonly source: Source
  /** The sites of this environment; all of them as long as nobody knows which it is. */
  readonly engines: readonly Engine[]
  /** By directory: what environments that this process works on are called in its configuration. */
  readonly running: Map<string, string>
  readonly journal: Journal
  readonly log: Log
  readonly writer: Writer
  /** Registries that asked to be left alone for a while. */
  readonly pauses: Pauses
  /** The time of day, for what is written down, shown, or outlives the process. */
  readonly nowMs: () => number
  /** The time that passes, for every age and deadline within the process. */
  readonly steadyMs: () => number
  /** The environment variables of the process: one of the places of secrets. */
  readonly env: NodeJS.ProcessEnv
  /** What `engines` hide in the words of containers. */
  readonly redaction: Redaction
  readonly memory: Memory
}

/** When the tags of a commit were last looked at again, by `steadyMs`, and which had moved. */
export type Tags = { readonly checkedMs: number; readonly moved: readonly Problem[] }

/** What one pass leaves for the next, so that a pass without news is cheap. Losing it costs time, nothing else. */
export type Memory = {
  /** Which environment of the repository it is. */
  place?: EnvironmentPlace
  /** What it may be called on engines, by which sites may name it, too. */
  called?: readonly string[]
  /** What it is called, and whose it is. */
  identity?: Identity
  /** The commit the ref meant when it was last looked up, by `steadyMs`. */
  lookedUp?: { readonly commit: string; readonly atMs: number }
  /** The desired state of a commit; `settled` when every image is pinned and nothing waits for a registry. */
  desired?: {
    readonly commit: string
    /** Where the environment stands in the repository. */
    readonly directory: string
    readonly resolved: DesiredState
    readonly secrets: { readonly isAsked: boolean; readonly mark: string }
    /** Of what the operator says of the ingress; its files may be renewed at any time. */
    readonly ingressMark: string
    /** What the ingresses of other environments keep from it, as a text to compare. */
    readonly besides: string
    readonly pinned: DesiredState
    readonly settled: boolean
    readonly tags: Tags
  }
  /** Earlier states, by commit, of services that cannot get what is wanted now. */
  before?: Map<string, DesiredState>
  /** The key of the marks of secrets, and what was decrypted last. */
  secrets?: { readonly key: Uint8Array; readonly sops: SopsMemory }
  /** What is on record as each application's newest version, by site and name (A6). */
  versions?: Map<string, string>
  /** The plan that was applied last without a pass in sync after it (G2). */
  lastApplied?: { readonly planId: string }
  /** Whether this process is the one that writes, on every site. */
  claimed?: boolean
  /** Whether strangers held the name of the claim when it was made last. */
  isUsurped?: boolean
  /** What was asked last of the ingresses, by `steadyMs`. */
  ingress?: { readonly askedMs: number; readonly status: Promise<readonly IngressStatus[]> }
  /** Since when the last attempt at a service goes on, by `steadyMs`; beside it what the journal has of that one. */
  attempts?: Map<string, { readonly release: string; readonly begunAtMs: number; readonly sinceMs: number }>
  /** Whether the sites' networks were looked at since the process started. */
  lookedAround?: boolean
}
