import type { Config } from '../config.ts'
import type { Engine } from '../engine.ts'
import type { Problem } from '../errors.ts'
import type { Source } from '../git/source.ts'
import type { Journal } from '../journal/journal.ts'
import type { Log } from '../log.ts'
import type { Pauses } from '../registry/pause.ts'
import type { SopsMemory } from '../secrets/repository.ts'
import type { DesiredState } from '../state/desired.ts'
import type { Writer } from '../writer.ts'
import type { IngressStatus } from './ingress-status.ts'

/** What the passes over one environment work with; made in one place and handed down. */
export type World = {
  /** As configured; undefined: the only environment of the repository. */
  readonly environment: string | undefined
  readonly config: Config
  readonly source: Source
  /** The sites of this environment. */
  readonly engines: readonly Engine[]
  readonly journal: Journal
  readonly log: Log
  readonly writer: Writer
  /** Registries that asked to be left alone for a while. */
  readonly pauses: Pauses
  readonly nowMs: () => number
  /** The environment variables of the process: one of the places of secrets. */
  readonly env: NodeJS.ProcessEnv
  readonly memory: Memory
}

/** When the tags of a commit were last looked at again, and which had moved. */
export type Tags = { readonly checkedMs: number; readonly moved: readonly Problem[] }

/** What one pass leaves for the next, so that a pass without news is cheap. Losing it costs time, nothing else. */
export type Memory = {
  /** The commit the ref meant when it was last looked up. */
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
    readonly pinned: DesiredState
    readonly settled: boolean
    readonly tags: Tags
  }
  /** The key of the marks of secrets, and what was decrypted last. */
  secrets?: { readonly key: Uint8Array; readonly sops: SopsMemory }
  /** What is on record as each application's newest version, by site and name (A6). */
  versions?: Map<string, string>
  /** The plan that was applied last without a pass in sync after it (G2). */
  lastApplied?: { readonly planId: string }
  /** Whether this process is the one that writes, on every site. */
  claimed?: boolean
  /** What was asked last of the ingresses. */
  ingress?: { readonly askedMs: number; readonly status: Promise<readonly IngressStatus[]> }
  /** Whether the sites' networks were looked at since the process started. */
  lookedAround?: boolean
}
