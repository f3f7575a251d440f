import { createPool, type Pool, type PoolLimits } from './pool.ts'

/**
 * What is done at the same time over all environments and sites. docs/operations.md lists it. With eight calls at a
 * time an engine on two cores nearly reaches its highest speed, with sixteen it does (docs/performance.md).
 */
export const limitsOfPools: Readonly<Record<keyof Pools, PoolLimits>> = {
  look: { most: 128, perSite: 16, patienceMs: 5_000, slow: 32, young: { most: 4, ms: 25 } },
  // Somebody waits for the answers of all.
  ask: { most: 256, perSite: 4, patienceMs: 1_000, slow: 256 },
  // A container may take ten seconds to stop.
  call: { most: 512, perSite: 16, patienceMs: 15_000, slow: 128 },
  pull: { most: 64, perSite: 16, patienceMs: 120_000, slow: 32 },
}

/** The places that all sites share, where the work on them waits for one. */
export type Pools = {
  /** Looks at sites, from the claim to the plan. */
  readonly look: Pool
  /** Questions to ingresses, about what they do. */
  readonly ask: Pool
  /** Calls that change something. Waits, such as for health, are not counted. */
  readonly call: Pool
  /** Pulls of images. */
  readonly pull: Pool
}

/** Creates the pools of a process. */
export function createPools(limits: Readonly<Record<keyof Pools, PoolLimits>> = limitsOfPools): Pools {
  return {
    look: createPool(limits.look),
    ask: createPool(limits.ask),
    call: createPool(limits.call),
    pull: createPool(limits.pull),
  }
}
