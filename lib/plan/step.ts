import type { Network, Volume } from '../state/application.ts'
import type { Container } from '../state/container.ts'

/** One engine call, or one wait. Every step is idempotent: done again after a crash it changes nothing more. */
export type Step =
  /** Makes `reference@digest` present on the engine and verified. Touches nothing that runs. */
  | { readonly do: 'pull-image'; readonly reference: string; readonly digest: string }
  | { readonly do: 'create-network'; readonly network: Network }
  | { readonly do: 'create-volume'; readonly volume: Volume }
  | {
      readonly do: 'create-container'
      readonly container: string
      readonly placement: Placement
      readonly spec: Container
    }
  | { readonly do: 'start-container'; readonly container: string }
  | { readonly do: 'unpause-container'; readonly container: string }
  /** Waits until the container is healthy; without a health check until it ran `healthyMs` without a restart. */
  | {
      readonly do: 'await-healthy'
      readonly container: string
      readonly healthyMs: number
      readonly timeoutMs: number
    }
  /** Waits as long as the container's own stop timeout allows, then it is killed. */
  | { readonly do: 'stop-container'; readonly container: string }
  | { readonly do: 'remove-container'; readonly container: string }
  | {
      readonly do: 'connect-network'
      readonly container: string
      readonly network: string
      readonly aliases: readonly string[]
    }
  | { readonly do: 'remove-network'; readonly network: string }

/** Where a container belongs: what its labels and its network attachment say. */
export type Placement = {
  readonly application: string
  readonly service: string
  readonly instance: number
  readonly version?: string
  readonly fingerprint: string
  readonly network: string
  readonly aliases: readonly string[]
}

/** What all containers of one plan carry besides: no part of a fingerprint. */
export type Provenance = { readonly environment: string; readonly source: string; readonly commit: string }

export type StepName = Step['do']
