import type { Container, Image } from '../../state/application/container/container.ts'
import type { Routing } from '../../state/application/ingress/route.ts'
import type { Pod } from '../../state/application/pod/pod.ts'
import type { Volume } from '../../state/application/volume.ts'
import type { Limits } from '../../state/running/settings.ts'
import type { ContainerPlace } from './container-place.ts'

/** A program that an image has to have. */
export type SoughtProgram = {
  /** As a container names it. */
  readonly name: string
  /** Where it may be, at least one: it runs from the first of these paths that has it. */
  readonly paths: readonly string[]
  /** What is mounted into the container: nobody knows what is there. */
  readonly mounted: readonly string[]
}

/** What only hosts do. */
export type HostStep =
  /** Makes `reference@digest` present on the engine and verified. Touches nothing that runs. */
  | { readonly do: 'pull-image'; readonly reference: string; readonly digest: string }
  /**
   * Fails unless a path of the host exists and no symlink on the way from `within` leads elsewhere (G23). Looks with a
   * container of that image that is never started. `volume`: the volume that binds the path; if it exists already, what it
   * binds is checked, in whichever of the `allowed` directories that is.
   */
  | {
      readonly do: 'check-host-path'
      readonly path: string
      readonly within: string
      readonly image: Image
      readonly volume?: string
      readonly allowed?: readonly string[]
    }
  /**
   * Fails unless an image has the account, the directory and the program that a container needs of it (C10, C11). Looks
   * with a container that is never started.
   */
  | {
      readonly do: 'check-image'
      /** Which container needs it, for errors: `shop/web/proxy`. */
      readonly of: string
      readonly image: Image
      readonly user?: string
      readonly directory?: string
      readonly program?: SoughtProgram
    }
  | { readonly do: 'create-volume'; readonly volume: Volume }
  /** Removes an ephemeral volume. One that a container uses again is left. */
  | { readonly do: 'remove-volume'; readonly volume: string }
  | {
      readonly do: 'create-container'
      readonly container: string
      readonly placement: ContainerPlace
      readonly spec: Container
    }
  /**
   * Tells the metadata service of a pod whose sandbox this is, which it does not know any more. What runs is not
   * touched (C53).
   */
  | {
      readonly do: 'register-pod'
      readonly container: string
      readonly service: string
      readonly volume: string
      readonly pod: Pod
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
   * Replaces the removal of a container of a failed instance: stops it, takes it from its networks and keeps it under
   * another name. Of its kind the newest `keep` are kept. A container that never ran is removed.
   */
  | { readonly do: 'keep-failed'; readonly container: string; readonly keep: number }
