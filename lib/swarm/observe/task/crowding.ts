import { isDeepStrictEqual } from 'node:util'
import { replicasOf, type ServiceSpec, type Task, type ToldService } from '../../api/service.ts'

/** Why the Swarm finds no node, in its own words: one part for each reason, with the number of nodes that it is true of. */
const reasons = /^no suitable node \((.+)\)$/
const isPort = /^host-mode port already in use on (\d+) nodes?$/
/** What is true of a node whatever runs there. */
const isLasting = /^(?:scheduling constraints not satisfied|unsupported platform) on \d+ nodes?$/

/**
 * Returns the words of the Swarm for tasks that no node can ever take, because the others of the same service have the
 * ports of all nodes that could, and more tasks are wanted than there are such nodes. Undefined: none waits for that. A port
 * that anybody else has may be free in a moment, and so may a node that takes no tasks now. Pure.
 * @param own the tasks of the service
 */
export function crowdingOf(service: ToldService, own: readonly Task[]): string | undefined {
  const wanted = replicasOf(service.Spec)
  const { ContainerSpec: specified } = service.Spec.TaskTemplate
  const isSpecified = ({ Spec }: Task) => isDeepStrictEqual(Spec.ContainerSpec, specified)
  const waiting = own.find(task => isToRun(task) && takenOn(task) !== undefined && isSpecified(task))
  if (waiting === undefined || wanted === 'global') return undefined
  const publishAlike = isDeepStrictEqual(portsOf(service.Spec), portsOf(service.PreviousSpec))
  const holders = own.filter(task => isToRun(task) && task.NodeID && (publishAlike || isSpecified(task)))
  const nodes = new Set(holders.map(({ NodeID }) => NodeID)).size
  return nodes === takenOn(waiting) && wanted > nodes ? waiting.Status.Err : undefined
}

function isToRun({ DesiredState }: Task): boolean {
  return DesiredState === 'running'
}

/** Returns on how many nodes a port is taken that a task needs, if nothing but that and what lasts keeps it from a node. */
function takenOn({ Status: { State, Err = '' } }: Task): number | undefined {
  const parts = State === 'pending' ? (reasons.exec(Err)?.[1]?.split('; ') ?? []) : []
  const [nodes, ...others] = parts.flatMap(part => isPort.exec(part)?.[1] ?? [])
  const isAll = parts.every(part => isPort.test(part) || isLasting.test(part))
  return isAll && nodes !== undefined && others.length === 0 ? Number(nodes) : undefined
}

function portsOf(spec: ServiceSpec | undefined) {
  return spec?.EndpointSpec?.Ports
}
