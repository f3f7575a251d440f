import type { Problem } from '../../../errors.ts'
import { optional } from '../../../object.ts'
import type { Instance, Service } from '../application.ts'
import type { Mount } from '../container/container.ts'
import { isKeptOnNode } from '../volume.ts'
import type { AskingPlaces } from './asking.ts'

/** A volume that a service of a Swarm mounts. */
export type VolumeOnNodes = Extract<Mount, { kind: 'volume' }>

/** Returns the volumes that the tasks, hooks and phases of a service of a Swarm mount, each once. */
export function volumesOnNodes({ instances, jobs = [] }: Service): readonly VolumeOnNodes[] {
  const containers = [
    ...instances.flatMap(({ containers }: Instance) => containers),
    ...jobs.map(({ container }) => container),
  ]
  const mounts = containers.flatMap(({ mounts = [] }) => mounts)
  const volumes = mounts.flatMap(mount => (mount.kind === 'volume' ? [[mount.volume, mount] as const] : []))
  return [...new Map(volumes).values()]
}

/**
 * Warns of each volume that every node of a Swarm has of its own, and whose service may run on more than one of them: an
 * update may put a task on another node, where its data are not. One task on each node finds its own again. Pure.
 * @param able on how many nodes its tasks may run; undefined: nobody knows
 */
export function volumesPerNode(
  service: Service,
  { application, site, places }: AskedOn,
  able: number | undefined,
): readonly Problem[] {
  const { runs } = service.instances[0] ?? {}
  if (runs === undefined || runs.replicas === 'global') return []
  // Who chooses nodes may have chosen one.
  if (able === undefined ? runs.constraints !== undefined : able < 2) return []
  const which = able === undefined ? 'any of them' : `${able} of them`
  return volumesOnNodes(service).flatMap(({ volume, made }): readonly Problem[] => {
    if (!isKeptOnNode({ ...made, ...optional('driverOptions', made?.options) })) return []
    const message = `${application}/${service.name}: each node of ${site} has a volume ${volume} of its own, and ${which} may run a task: a task that an update puts on another node finds other data there, or none; ${waysOut}`
    return [{ code: 'volume-per-node', message, ...optional('position', places?.volumes.get(volume)) }]
  })
}

const waysOut =
  'choose one node by "placement: {match-host-labels: …}", or share the volume by a driver or "driver_opts"'

/** Of which service on which site something is said, and where it is written. */
export type AskedOn = {
  readonly application: string
  readonly site: string
  /** Absent: nobody knows. */
  readonly places: AskingPlaces | undefined
}
