import type { Job } from '../../state/application/application.ts'
import type { Container, Image } from '../../state/application/container.ts'
import type { Network } from '../../state/application/network.ts'
import type { Pod } from '../../state/application/pod.ts'
import type { Routing } from '../../state/application/route.ts'
import type { Volume } from '../../state/application/volume.ts'
import type { Identity } from '../../state/identity.ts'
import type { Role } from '../../state/running/live.ts'
import type { Limits } from '../../state/running/settings.ts'

/** One engine call, or one wait. Every step is idempotent: repeated after a crash, it changes nothing more. */
export type Step =
  /** Makes `reference@digest` present on the engine and verified. Touches nothing that runs. */
  | { readonly do: 'pull-image'; readonly reference: string; readonly digest: string }
  /**
   * Fails unless a path of the host exists and no symlink on the way from `within` leads elsewhere (G23). Looks with a
   * container of that image that is never started.
   */
  | {
      readonly do: 'check-host-path'
      readonly path: string
      readonly within: string
      readonly image: Image
    }
  /**
   * Fails unless an image has the account and the directory that a container needs of it (C10, C11). Looks with a
   * container that is never started.
   */
  | {
      readonly do: 'check-image'
      readonly image: Image
      readonly user?: string
      readonly directory?: string
    }
  /** `ifRoom`: if there are no addresses left for the network, it is skipped. */
  | { readonly do: 'create-network'; readonly network: Network; readonly ifRoom?: true }
  | { readonly do: 'create-volume'; readonly volume: Volume }
  | {
      readonly do: 'create-container'
      readonly container: string
      readonly placement: Placement
      readonly spec: Container
    }
  /** With `unlessDoneIn`, the name of its sandbox, a container is left alone that has run to its end there (X5). */
  | { readonly do: 'start-container'; readonly container: string; readonly unlessDoneIn?: string }
  | { readonly do: 'unpause-container'; readonly container: string }
  /**
   * Waits until the container is healthy, or without a health check until it has run for `healthyMs` without a restart.
   * With `ranBefore`, the time for which it has run before the step counts, too.
   */
  | {
      readonly do: 'await-healthy'
      readonly container: string
      readonly healthyMs: number
      readonly timeoutMs: number
      readonly ranBefore?: true
    }
  /** Restores the limits that somebody changed on a running container (`docker update`). */
  | { readonly do: 'update-container'; readonly container: string; readonly limits: Limits }
  /** Gives the container with that id its name back. */
  | { readonly do: 'rename-container'; readonly container: string; readonly id: string }
  /** Waits as long as the container's own stop timeout allows. Then the container is killed. */
  | { readonly do: 'stop-container'; readonly container: string }
  | { readonly do: 'remove-container'; readonly container: string }
  | {
      readonly do: 'connect-network'
      readonly container: string
      readonly network: string
      readonly aliases: readonly string[]
      /** A network that does not exist is skipped. */
      readonly ifThere?: true
    }
  | { readonly do: 'remove-network'; readonly network: string }
  /**
   * Lets requests reach an instance by attaching it to its gate under the alias. If it is attached without the alias,
   * it keeps its address, and so its open connections.
   */
  | { readonly do: 'admit'; readonly container: string; readonly network: string; readonly alias: string }
  /**
   * Takes requests from an instance: it receives no new ones, and those under way may end within the longest grace
   * period of `members`. It stays on its gate without its alias, so that no open connection is cut.
   */
  | {
      readonly do: 'drain'
      readonly container: string
      readonly network: string
      readonly members: readonly string[]
    }
  /** Takes a container from a network at once. */
  | { readonly do: 'disconnect-network'; readonly container: string; readonly network: string }
  /** Makes the ingress load a configuration without a restart, and records that in its name. */
  | { readonly do: 'load-routes'; readonly container: string; readonly routing: Routing }
  /** Removes the image with that digest. If anything uses it, it is left alone, and that is reported (G10). */
  | { readonly do: 'remove-image'; readonly reference: string; readonly digest: string }
  /** Restarts a container whose liveness probe failed. Its instance continues (A44). */
  | { readonly do: 'restart-container'; readonly container: string }
  /**
   * Starts a container and waits for its end. If it runs already, it is only waited for. If it ended well, it is not
   * started again (H22), unless `again` says so. Every failed try is reported. `timeoutMs` counts from its start.
   */
  | {
      readonly do: 'run-to-end'
      readonly container: string
      readonly onFailure: Job['onFailure']
      readonly timeoutMs?: number
      readonly again?: true
    }
  /** Waits for the end of a container that must not be interrupted (P7), without a limit. Starts nothing. */
  | { readonly do: 'await-end'; readonly container: string }
  /** Stops a hook of a rollout that was given up: TERM, and KILL after 10 s (H6). */
  | { readonly do: 'abort-hook'; readonly container: string }
  /** Removes the container of a job that succeeded. The last few that failed are kept under another name (H9). */
  | { readonly do: 'put-away'; readonly container: string; readonly keep: number }
  /**
   * Replaces the removal of a container of a failed instance: stops it, takes it from its networks and keeps it under
   * another name. Of its kind the newest `keep` are kept. A container that never ran is removed.
   */
  | { readonly do: 'keep-failed'; readonly container: string; readonly keep: number }

/** Where a container belongs, according to its labels and networks. */
export type Placement = {
  readonly application: string
  readonly service: string
  readonly instance: number
  readonly role: Role
  readonly version?: string
  /** The commit that it is made from, if that is an earlier one than the plan's. */
  readonly commit?: string
  readonly fingerprint: string
  readonly network: Network
  /** Attached after its creation, before its start. */
  readonly attachments: readonly Network[]
  /** The same, where it has its aliases, too. A network that could not be made is left out. */
  readonly reached?: readonly Network[]
  readonly aliases: readonly string[]
  /** The name of its instance, from which the names of its ephemeral volumes are derived. */
  readonly instanceName: string
  /** On a sandbox whose containers do not share its processes: they are cut off when it is restarted. */
  readonly ownProcesses?: true
  /** The sandbox that it lives in, instead of a network of its own. */
  readonly joins?: {
    readonly sandbox: string
    readonly processes: boolean
    /** It is told where the metadata service answers its pod (C53). */
    readonly isOfPod?: true
  }
  /** On the sandbox of a pod: what the metadata service tells its apps. */
  readonly pod?: Pod
}

/** What all containers of one plan have in their labels besides. It is no part of a fingerprint. */
export type Provenance = Identity & { readonly commit: string }

export type StepName = Step['do']

/** Returns the steps of one name, for code that reads what they are about. */
export function stepsOf<N extends StepName>(
  steps: readonly Step[],
  name: N,
): readonly Extract<Step, { do: N }>[] {
  return steps.filter((step): step is Extract<Step, { do: N }> => step.do === name)
}
