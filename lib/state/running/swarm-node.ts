import type { SwarmService } from '../application/swarm/swarm-service.ts'

/** A node of a Swarm, as a manager tells of it. */
export type SwarmNode = {
  readonly id: string
  readonly labels: ReadonlyMap<string, string>
  /** Whether it gets no tasks at all, as a manager often does. */
  readonly isDrained: boolean
  /** In its one spelling, without a variant; absent: the node does not tell. */
  readonly platform?: string
  /** The drivers for volumes that it has; absent: the node does not tell. */
  readonly drivers?: readonly string[]
}

/** Whether a node is one of those on which a service may run, as the Swarm itself judges that. Pure. */
export function isFitFor(node: SwarmNode, { constraints = [], platform }: NodeDemand): boolean {
  return (
    constraints.every(constraint => isMet(node, constraint)) &&
    (platform === undefined || node.platform === undefined || isPlatform(node.platform, platform))
  )
}

/** Whether a node has a driver for volumes. A Swarm gives the name of a plugin without a tag the tag `latest`. */
export function hasDriver({ drivers }: SwarmNode, driver: string): boolean {
  return drivers === undefined || drivers.includes(driver) || drivers.includes(`${driver}:latest`)
}

type NodeDemand = Pick<SwarmService, 'constraints' | 'platform'>

/** Names of labels keep their case, and values are compared without it. A missing label is like an empty one. */
function isMet(node: SwarmNode, constraint: string): boolean {
  const [, key = '', operator, value = ''] = /^(.*?)(==|!=)(.*)$/s.exec(constraint) ?? []
  const said = key === 'node.id' ? node.id : node.labels.get(key.slice('node.labels.'.length))
  return ((said ?? '').toLowerCase() === value.toLowerCase()) === (operator === '==')
}

/** No node tells the variant of its processor. */
function isPlatform(own: string, wanted: string): boolean {
  return own.split('/').slice(0, 2).join('/') === wanted.split('/').slice(0, 2).join('/')
}
