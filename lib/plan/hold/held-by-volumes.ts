import { volumesOfService } from '../../state/application/members.ts'
import type { Difference, DiffResult } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'
import type { Held } from './held.ts'

/** Returns why a service cannot start what it lacks; undefined if no volume of others keeps it from that. */
export type HeldByVolume = (difference: Pick<Difference, 'missing' | 'declared'>) => Held | undefined

/** Returns the volumes, each once, that are needed by what is missing, and that the environment does not have. */
export function volumesToMake(
  { differences }: Pick<DiffResult, 'differences'>,
  { volumes, volumesKept }: Pick<SiteResources, 'volumes' | 'volumesKept'>,
): readonly string[] {
  if (volumesKept !== undefined) return []
  const there = new Set(volumes)
  const wanted = differences.flatMap(({ missing, declared }) =>
    missing.length === 0 || declared === undefined ? [] : volumesOfService(declared.service),
  )
  return [...new Set(wanted.map(({ name }) => name))].filter(name => !there.has(name))
}

/** Finds the services that need a volume whose name belongs to somebody else: nobody knows whose data are in it (G10). */
export function heldByVolumes({ takenVolumes = [] }: SiteResources): HeldByVolume {
  const holders = new Map(takenVolumes.map(({ name, holder }) => [name, holder]))
  if (holders.size === 0) return () => undefined
  return ({ missing, declared }) => {
    if (missing.length === 0 || declared === undefined) return undefined
    for (const { name } of volumesOfService(declared.service)) {
      const holder = holders.get(name)
      if (holder !== undefined) return { code: 'name-taken', reason: `the volume ${name} is ${holder}` }
    }
    return undefined
  }
}
