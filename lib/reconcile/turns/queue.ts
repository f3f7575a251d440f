import { createPool, type Pool, type PoolLimits } from './pool.ts'

/**
 * What is done at the same time over all environments and sites. docs/operations.md lists it. With eight calls at a
 * time an engine on two cores nearly reaches its highest speed, with sixteen it does (docs/performance.md).
 */
export const queueLimits: Readonly<Record<keyof Queue, PoolLimits>> = {
  look: { most: 128, perSite: 16, patienceMs: 5_000, slow: 32, young: { most: 8, ms: 25 } },
  // A container may take ten seconds to stop.
  call: { most: 512, perSite: 16, patienceMs: 15_000, slow: 128 },
  pull: { most: 64, perSite: 16, patienceMs: 120_000, slow: 32 },
}

/** Where the work of all sites waits for its turn. */
export type Queue = {
  /** Looks at sites, from the claim to the plan. */
  readonly look: Pool
  /** Calls that change something. Waits, such as for health, are not counted. */
  readonly call: Pool
  /** Pulls of images. */
  readonly pull: Pool
}

/** Creates the queue of a process. */
export function createQueue(limits: Readonly<Record<keyof Queue, PoolLimits>> = queueLimits): Queue {
  return { look: createPool(limits.look), call: createPool(limits.call), pull: createPool(limits.pull) }
}
