import type { Job } from '../state/application.ts'
import type { Container, Image } from '../state/container.ts'
import type { Identity } from '../state/identity.ts'
import type { Role } from '../state/live.ts'
import type { Network } from '../state/network.ts'
import type { Routing } from '../state/route.ts'
import type { Limits } from '../state/settings.ts'
import type { Volume } from '../state/volume.ts'

/** One engine call, or one wait. Every step is idempotent: done again after a crash it changes nothing more. */
export type Step =
  /** Makes `reference@digest` present on the engine and verified. Touches nothing that runs. */
  | { readonly do: 'pull-image'; readonly reference: string; readonly digest: string }
  /**
   * Fails unless a path of the host is there and no symlink on the way from `within` leads elsewhere (G23). Looks with
   * a container of that image that is never started.
   */
  | {
      readonly do: 'check-host-path'
      readonly path: string
      readonly within: string
      readonly image: Image
    }
  /** `ifRoom`: one for which there are no addresses left is passed over. */
  | { readonly do: 'create-network'; readonly network: Network; readonly ifRoom?: true }
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
  /** Sets what somebody changed on a container that goes on (`docker update`) as it was made. */
  | { readonly do: 'update-container'; readonly container: string; readonly limits: Limits }
  /** Gives the container of that id its name back. */
  | { readonly do: 'rename-container'; readonly container: string; readonly id: string }
  /** Waits as long as the container's own stop timeout allows, then it is killed. */
  | { readonly do: 'stop-container'; readonly container: string }
  | { readonly do: 'remove-container'; readonly container: string }
  | {
      readonly do: 'connect-network'
      readonly container: string
      readonly network: string
      readonly aliases: readonly string[]
      /** A network that is not there is passed over. */
      readonly ifThere?: true
    }
  | { readonly do: 'remove-network'; readonly network: string }
  /**
   * Lets requests reach an instance: attaches it to its gate under the alias. One that is attached without it keeps its
   * address, and so its open connections.
   */
  | { readonly do: 'admit'; readonly container: string; readonly network: string; readonly alias: string }
  /**
   * Takes requests away from an instance: no new ones reach it, those under way end within the longest grace period of
   * `members`. It stays on its gate without its alias, so that no open connection is cut.
   */
  | {
      readonly do: 'drain'
      readonly container: string
      readonly network: string
      readonly members: readonly string[]
    }
  /** Takes a container from a network at once. */
  | { readonly do: 'disconnect-network'; readonly container: string; readonly network: string }
  /** Makes the ingress take a configuration, without a restart, and notes in its name that it has. */
  | { readonly do: 'load-routes'; readonly container: string; readonly proxy: Routing }
  /** Removes the image by that digest; one that anything uses is left alone, which is told (G10). */
  | { readonly do: 'remove-image'; readonly reference: string; readonly digest: string }
  /** Stops and starts a container whose liveness probe failed; its instance goes on (A44). */
  | { readonly do: 'restart-container'; readonly container: string }
  /**
   * Starts a container and waits for its end. One that runs is waited for, one that ended well is not started again
   * (H22), unless `again` says so. Every failed try is told; `timeoutMs` counts from its start.
   */
  | {
      readonly do: 'run-to-end'
      readonly container: string
      readonly onFailure: Job['onFailure']
      readonly timeoutMs?: number
      readonly again?: true
    }
  /** Waits for the end of a container that must not be cut off (P7), however long that takes; starts nothing. */
  | { readonly do: 'await-end'; readonly container: string }
  /** Stops a hook of a rollout that was given up: TERM, and KILL after 10 s (H6). */
  | { readonly do: 'abort-hook'; readonly container: string }
  /** Removes a job's container that ended well; of failed ones the last few are kept, under another name (H9). */
  | { readonly do: 'put-away'; readonly container: string; readonly keep: number }
  /**
   * In place of its removal, where an instance failed: stops a container, takes it from its networks and keeps it under
   * another name, and of its kind the newest `keep`. What never ran is removed.
   */
  | { readonly do: 'keep-failed'; readonly container: string; readonly keep: number }

/** Where a container belongs: what its labels and its network attachment say. */
export type Placement = {
  readonly application: string
  readonly service: string
  readonly instance: number
  readonly role: Role
  readonly version?: string
  /** What it is made from, where that is an earlier commit than the plan is of. */
  readonly commit?: string
  readonly fingerprint: string
  readonly network: Network
  /** Attached after its creation, before its start. */
  readonly attachments: readonly Network[]
  readonly aliases: readonly string[]
  /** The name of its instance: what its ephemeral volumes are named after. */
  readonly instanceName: string
  /** Lives in the sandbox of that name instead of a network of its own. */
  /** A sandbox whose members do not share its processes: they are cut off when it is started again. */
  readonly ownProcesses?: true
  readonly joins?: { readonly sandbox: string; readonly processes: boolean }
}

/** What all containers of one plan carry besides: no part of a fingerprint. */
export type Provenance = Identity & { readonly commit: string }

export type StepName = Step['do']
