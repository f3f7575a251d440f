import type { Instance, Job, SandboxProbe, Service } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { Network } from '../../state/application/network.ts'
import { type SwarmOptions, swarmName } from '../../state/application/swarm/swarm-service.ts'
import type { Volume } from '../../state/application/volume.ts'
import { hashOf } from '../../state/canonical.ts'
import { lackOfNodes } from './constraints.ts'
import { lackOf, lackOfSettings } from './lacks.ts'
import { lacksOfRoutes } from './lacks-of-routes.ts'

/** Returns all that a service needs and a Swarm cannot give it, in words that follow its name. Pure. */
export function lacksOf(
  { environment, ingress }: Pick<DesiredState, 'environment' | 'ingress'>,
  application: string,
  service: Service,
  options: SwarmOptions,
): readonly string[] {
  const { instances, jobs = [], nodes } = service
  const [instance] = instances
  if (instance === undefined) return []
  const lacks = [
    ...lacksOfRoutes(service, ingress, options),
    nodes && lackOfNodes(nodes),
    swarmName(environment, application, service.name) === undefined
      ? 'has no name that a Swarm allows: environment, application and service are at most 63 letters, digits, "-" and "_" together'
      : undefined,
    new Set(instances.map(one => hashOf(one))).size > 1
      ? 'has instances that differ, and the tasks of a Swarm are all alike'
      : undefined,
    ...instances.flatMap(one => lacksOfInstance(one, options)),
    ...jobs.flatMap(job => lacksOfJob(job, options)),
  ]
  return [...new Set(lacks.filter(lack => lack !== undefined))]
}

function lacksOfInstance(
  {
    sandbox,
    probed = [],
    init = [],
    containers,
    network,
    attachments = [],
    reached = [],
    volumes,
    pod,
  }: Instance,
  options: SwarmOptions,
): readonly (string | undefined)[] {
  return [
    pod === undefined ? undefined : 'is a pod, which needs one host',
    containers.length === 1
      ? undefined
      : 'has several containers in one instance, and a task of a Swarm is one container',
    init.length === 0 ? undefined : 'has init containers, and a task of a Swarm is one container',
    ...probed.map(lackOfProbe),
    ...lacksOfVolumes(volumes),
    reached.length === 0 ? undefined : 'is to be reached on the networks of others',
    ...lacksOfNetworks([network, ...attachments]),
    ...(sandbox === undefined ? [] : lackOfSettings(sandbox, options)),
    ...[...init, ...containers].flatMap(container => lackOf(container, options)),
  ]
}

/** The sandbox performs it, which no task has. */
function lackOfProbe({ kind, over }: SandboxProbe): string {
  return `has a ${kind} probe over ${over}, which a Swarm does not perform: use "healthcheck", or "readiness" with a "command"`
}

/** Of a hook or phase, which shares its service's reasons: each is told once. */
function lacksOfJob(
  { container, network, attachments = [], volumes }: Job,
  options: SwarmOptions,
): readonly (string | undefined)[] {
  return [
    ...lacksOfVolumes(volumes),
    ...lacksOfNetworks([network, ...attachments]),
    ...lackOf(container, options).map(lack => `has a hook or phase, ${container.name}, that ${lack}`),
  ]
}

function lacksOfVolumes(volumes: readonly Volume[]): readonly (string | undefined)[] {
  return [
    volumes.some(({ binds }) => binds)
      ? 'has a volume that is a directory of the host, which cannot be checked on all nodes'
      : undefined,
  ]
}

function lacksOfNetworks(networks: readonly Network[]): readonly (string | undefined)[] {
  return [
    networks.some(({ mode }) => mode === 'host') ? 'is on the network of the host' : undefined,
    networks.some(({ mode }) => mode === 'published')
      ? 'publishes ports and may not reach anything outside, which overlay networks cannot tell apart'
      : undefined,
  ]
}
