import type { Container } from '../../state/application/container/container.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import type { ContainerPlace } from './container-place.ts'

/** What only Swarms do. Every step is idempotent, as those of hosts are. */
export type SwarmStep =
  /**
   * Fails unless the manager has `reference@digest`, or its registry gives it out: the nodes pull it themselves, and only
   * once tasks are being replaced. Touches nothing.
   */
  | { readonly do: 'find-image'; readonly reference: string; readonly digest: string }
  /** Makes configs and secrets of the files of a job, and the job, which does not run yet. */
  | ({ readonly do: 'create-job' } & ServiceSpecification)
  /** Makes configs and secrets of the files of a service, and creates it, unless it exists as it should. */
  | ({ readonly do: 'create-service' } & ServiceSpecification)
  /** Gives a service another specification, and leaves it to the Swarm to replace its tasks. */
  | ({ readonly do: 'update-service' } & ServiceSpecification)
  /**
   * Has a service with this fingerprint run no task until it gets another specification, and waits until all have ended.
   * One task on each node cannot be made none, so such a service is removed.
   */
  | { readonly do: 'stop-service'; readonly service: string; readonly fingerprint: string }
  /**
   * Gives a service the specification that it had before, if that has this fingerprint. Without one it may be any, and a
   * service that had none before is removed.
   */
  | {
      readonly do: 'restore-service'
      readonly service: string
      readonly fingerprint?: string
      /** How many tasks it had, and has then; absent: as many as that specification says. */
      readonly replicas?: SwarmService['replicas']
    }
  /**
   * Waits until all tasks of a service run as it is specified, and its update has come to its end. What is replaced one
   * after the other may take `timeoutMs` each.
   */
  | {
      readonly do: 'await-service'
      readonly service: string
      /** Absent: it was given back whatever it had before, and is not waited for if that was nothing. */
      readonly fingerprint?: string
      /** How many tasks are replaced at a time; 0: all of them. */
      readonly parallelism: number
      readonly healthyMs: number
      readonly timeoutMs: number
      /** Waits until what was replaced has ended, and not only until nobody reaches it any more: something comes after it. */
      readonly untilEnded?: true
    }
  | { readonly do: 'remove-service'; readonly service: string }
  /** Removes configs and secrets of a service that neither its specification nor the one before names. */
  | { readonly do: 'forget-files'; readonly service: string }

export type ServiceSpecification = {
  readonly service: string
  readonly placement: ContainerPlace & { readonly runs: SwarmService }
  readonly spec: Container
}
