import { isMeant } from '../../../state/identity.ts'
import type { World } from '../../world.ts'
import { nameSoFar } from './identify.ts'

/**
 * Returns the name of the environment as far as it is known: as read, as configured, or the only one in the journal;
 * empty if it is unknown.
 */
export function environmentName(world: World): string {
  const { memory, environment, journal } = world
  const inForce = memory.commits.inForce()
  if (inForce !== undefined) return inForce.resolved.environment
  const known = nameSoFar(world)
  if (known !== undefined || environment !== undefined) return known ?? ''
  const [only = '', ...others] = journal.knownEnvironments()
  return others.length === 0 ? only : ''
}

/**
 * Whether a person means the environment by a name in the repository: its directory, or its plain name if it has
 * another name on engines.
 */
export function isWrittenAs({ memory }: Pick<World, 'memory'>, written: string): boolean {
  const place = memory.names.place()
  return place !== undefined && isMeant(place, written)
}
