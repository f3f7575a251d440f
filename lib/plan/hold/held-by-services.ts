import type { Difference, DiffResult } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'
import type { Held } from './held.ts'

/** Returns why a service of a Swarm cannot be made; undefined if its name is free. */
export type HeldByService = (difference: Pick<Difference, 'missing'>) => Held | undefined

/** Whether any service of a Swarm is to be made, so that it matters which names others have there. */
export function needsServices({ differences }: Pick<DiffResult, 'differences'>): boolean {
  return differences.some(({ missing, surplus }) => {
    const there = new Set(surplus.map(({ containers: [{ engineName }] }) => engineName))
    return namesOnSwarm({ missing }).some(name => !there.has(name))
  })
}

/** Finds the services whose name on the Swarm somebody else's has. The step that makes them would find out. */
export function heldByServices({ takenServices = [] }: SiteResources): HeldByService {
  const holders = new Map(takenServices.map(({ name, holder }) => [name, holder]))
  if (holders.size === 0) return () => undefined
  return ({ missing }) => {
    const name = namesOnSwarm({ missing }).find(one => holders.has(one))
    if (name === undefined) return undefined
    return { code: 'name-taken', reason: `the service ${name} is ${holders.get(name)}` }
  }
}

function namesOnSwarm({ missing }: Pick<Difference, 'missing'>): readonly string[] {
  return missing.flatMap(({ instance, containers: [head] }) =>
    instance.runs === undefined || head === undefined ? [] : [head.engineName],
  )
}
