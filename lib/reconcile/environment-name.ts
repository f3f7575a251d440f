import { isMeant } from '../state/identity.ts'
import { nameSoFar } from './identify.ts'
import type { World } from './world.ts'

/** What the environment is called, as far as it is known: as read, as configured, or the only one of the journal. */
export function environmentName(world: World): string {
  const { memory, environment, journal } = world
  if (memory.desired !== undefined) return memory.desired.resolved.environment
  const known = nameSoFar(world)
  if (known !== undefined || environment !== undefined) return known ?? ''
  const [only = '', ...others] = journal.knownEnvironments()
  return others.length === 0 ? only : ''
}

/**
 * Whether a person who writes that means the environment by words of the repository: its directory, and its plain name
 * where it is called something else on engines.
 */
export function isWrittenAs({ memory: { place } }: Pick<World, 'memory'>, written: string): boolean {
  return place !== undefined && isMeant(place, written)
}
