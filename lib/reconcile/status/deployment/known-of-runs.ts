import { sitesNow } from '../../site/site.ts'
import type { World } from '../../world.ts'
import type { RunSource } from './run-now.ts'

/** What is known of where runs stand, besides what is on record. */
export type KnownOfRuns = Pick<RunSource, 'isReady' | 'sites' | 'facts'>

/** Returns what a process that makes passes knows of that now. */
export function knownOfRuns(world: World): Required<KnownOfRuns> {
  const { fleet } = world.memory
  return {
    isReady: fleet.readiness.isReady,
    sites: sitesNow(world),
    facts: run => fleet.facts(run, world),
  }
}
