import { isGateAlias } from '../../state/application/ingress/route.ts'
import { ownerOfName } from '../../state/application/own-application.ts'
import { isKeptContainer } from '../../state/running/job-container.ts'
import { loadedMark } from '../../state/running/loaded.ts'
import type { Service } from '../application.gen.ts'
import { isEverybodysOwn } from '../grammar/host.ts'
import type { Spot } from '../spot.ts'

/**
 * Notes a fault for names that Tallyman would take for its own (`name-reserved`): those of its own services, names of
 * containers that were put away or have loaded routes, and host names like the aliases by which the ingress finds
 * instances.
 */
export function faultReservedNames(written: Service, hasGate: boolean, spot: Spot): void {
  const owner = ownerOfName(written.name)
  if (owner !== undefined)
    spot.at('name').fault(`is "${written.name}", which is the name of ${owner}`, 'name-reserved')
  if (isEverybodysOwn(written.name))
    spot.at('name').fault(`is "${written.name}", under which every container finds itself`)
  for (const key of ['containers', 'init-containers'] as const)
    written[key]?.forEach(({ name, hostname }, index) => {
      const at = spot.at(key, index)
      if (isMark(name))
        at.at('name').fault(
          `is "${name}"; what tallyman adds to the names of containers looks like that`,
          'name-reserved',
        )
      if (hasGate && hostname !== undefined && isGateAlias(hostname))
        at.at('hostname').fault(
          `is "${hostname}"; the ingress finds instances under names that end like that, in a dash and eight hex digits, and the engine would answer this one, too`,
          'name-reserved',
        )
    })
}

/** Whether a container's engine name, which ends in its own name, would have another meaning. */
export function isMark(name: string): boolean {
  const engineName = `.${name}`
  return isKeptContainer({ engineName }) || loadedMark(engineName) !== undefined
}
