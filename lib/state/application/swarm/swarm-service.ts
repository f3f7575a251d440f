/** How all instances of a service run as one service of a Docker Swarm, which spreads and replaces them itself. */
export type SwarmService = {
  /** `global`: one on each node. */
  readonly replicas: number | 'global'
  /** How the Swarm replaces its tasks. */
  readonly update: SwarmUpdate
  /** How the name of the service is answered: with one virtual address, or with the addresses of its tasks. */
  readonly endpoint: 'vip' | 'dnsrr'
  /** What a node has to meet that runs a task, in the words of the Swarm; absent: any node may. */
  readonly constraints?: readonly string[]
  /** The labels of nodes over whose values its tasks are spread, the coarsest first; absent: over nodes alone. */
  readonly spread?: readonly string[]
  /** The platform of such a node, such as `linux/arm64`; absent: any. */
  readonly platform?: string
  /** Where its ports are published: on every node, or on those that run a task; absent: it publishes none. */
  readonly publish?: 'ingress' | 'host'
  /** Where the ingress reaches its tasks: an overlay by its name, and their name there; absent: nowhere. */
  readonly gate?: { readonly network: string; readonly alias: string }
}

/**
 * Whether what a service publishes is published on every node that takes tasks: a Swarm publishes there, or on the nodes
 * that run a task, and which these are is known of a service with one on each.
 */
export function isPublishedOnAll({ publish, replicas, constraints, platform }: SwarmService): boolean {
  return (
    publish === 'ingress' || (replicas === 'global' && constraints === undefined && platform === undefined)
  )
}

/** What is so of all services of a Swarm, as the operator says it. */
export type SwarmOptions = Required<Pick<SwarmService, 'endpoint' | 'publish'>> & {
  /** Absent: nothing is said of it. */
  readonly ingress?: SwarmIngress
}

/** How the ingress runs on a Swarm, as the operator says it. */
export type SwarmIngress = {
  /** What a node has to meet that runs it, in the words of the Swarm; absent: each node runs it. */
  readonly constraints?: readonly string[]
  /** They name one node, so that what is in its volume stays with it. */
  readonly isPinned?: true
  /** How nodes make its volume, so that all of them have the same one; absent: they do not. */
  readonly storage?: { readonly driver: string; readonly options?: Readonly<Record<string, string>> }
  /** Tallyman is to run none, but to use one of the operator's. */
  readonly isExternal?: true
  /** The operator has certificates. Which hosts they name shows once their files are read. */
  readonly hasCertificates?: true
}

export type SwarmUpdate = {
  /** How many tasks are replaced at a time; 0: all of them. */
  readonly parallelism: number
  /** `start-first`: a task runs before the one in its place is stopped. */
  readonly order: 'start-first' | 'stop-first'
  /** The pause after each of them, and for how long a task is watched for failure. */
  readonly monitorMs: number
}

/**
 * Returns the name of a service on a Swarm, which allows letters, digits, hyphens and underscores. What does not fit has
 * no such name. Underscores of its parts are doubled, and no part begins with one: no other parts make the same name.
 */
export function swarmName(environment: string, application: string, service: string): string | undefined {
  const parts = [...new Set([application, service])].map(doubled).join('_')
  const name = `${swarmNamePrefix(environment)}${parts}`
  const isAllowed = /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/.test(name) && /[a-zA-Z0-9]$/.test(name)
  return name.length <= 63 && isAllowed ? name : undefined
}

/** Returns what the names of the services of an environment begin with on a Swarm. Those of others may, too. */
export function swarmNamePrefix(environment: string): string {
  return `${doubled(environment)}_`
}

function doubled(part: string): string {
  return part.replaceAll('_', '__')
}

/** How many characters a job adds to the name of its service. */
const jobCharacters = '_deploy_01234567'.length

/**
 * Returns the name of a job of a service on a Swarm, which says what it does, and so is another one for each rollout.
 * The name of the service is cut where it leaves no room.
 * @param identity eight characters
 */
export function swarmJobName(service: string, stage: string, identity: string): string {
  return `${service.slice(0, 63 - jobCharacters)}_${stage}_${identity}`
}

/** Whether a service on a Swarm has the name of this service, or of a job of it. */
export function isNameOnSwarm(
  name: string,
  of: {
    readonly environment: string
    readonly application: string
    readonly service: string
    readonly isJob: boolean
  },
): boolean {
  const own = swarmName(of.environment, of.application, of.service)
  if (own === undefined || !of.isJob) return name === own
  const [, stage = '', identity = ''] = /_([a-z]+)_([0-9a-f]{8})$/.exec(name) ?? []
  return name === swarmJobName(own, stage, identity)
}
