import { imageOf } from '../../docker/container/config/container-config.ts'
import { defined } from '../../docker/container/config/defined.ts'
import { jobGraceMs } from '../../docker/job/job.ts'
import { ownLabels } from '../../docker/ownership.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { ServiceSpecification } from '../../plan/step/swarm-step.ts'
import type { Container, Port, RestartPolicy } from '../../state/application/container/container.ts'
import { digestOf } from '../../state/application/fingerprint.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import { label } from '../../state/labels.ts'
import { modeOf, type ServiceSpec } from '../api/service.ts'
import { containerSpec, type KeptFile } from './container-spec.ts'

/** Returns how a manager is told to run a service: as the specification says, and nothing else (G2). */
export function serviceSpec(
  { service, placement, spec }: ServiceSpecification,
  provenance: Provenance,
  files: readonly KeptFile[],
): ServiceSpec {
  const { runs } = placement
  return {
    ...commonSpec(service, placement, spec, provenance, files),
    Mode: modeOf(runs.replicas),
    UpdateConfig: updateOf(runs, spec),
    EndpointSpec: defined({ Mode: runs.endpoint, Ports: spec.ports?.map(port => portOf(port, runs)) }),
  }
}

/**
 * Returns how a manager is told of a job that does not run yet: as a service with one task that is not restarted. The
 * kind of service that Swarms have for jobs keeps the tasks of all that were ever removed, and their containers.
 */
export function jobSpec(
  { service, placement, spec }: ServiceSpecification,
  provenance: Provenance,
  files: readonly KeptFile[],
): ServiceSpec {
  const once = { ...spec, stopGraceMs: jobGraceMs, restart: { name: 'no' } as const }
  return {
    ...commonSpec(service, placement, once, provenance, files),
    Mode: modeOf(0),
    EndpointSpec: { Mode: placement.runs.endpoint },
  }
}

/** Returns how a job is told to run once more. Each try is counted. */
export function anotherTry(spec: ServiceSpec): ServiceSpec {
  const { ForceUpdate = 0 } = spec.TaskTemplate
  const TaskTemplate = { ...spec.TaskTemplate, ForceUpdate: ForceUpdate + 1 }
  return { ...spec, TaskTemplate, Mode: modeOf(1) }
}

/** Returns how a job is told to run no more. Its tasks are forgotten, with what they wrote. */
export function noMoreTries(spec: ServiceSpec): ServiceSpec {
  return { ...spec, Mode: modeOf(0) }
}

function commonSpec(
  service: string,
  placement: ServiceSpecification['placement'],
  spec: Container,
  provenance: Provenance,
  files: readonly KeptFile[],
): Pick<ServiceSpec, 'Name' | 'Labels' | 'TaskTemplate'> {
  const { network, attachments, aliases, runs } = placement
  const gates = runs.gate === undefined ? [] : [runs.gate.network]
  const own = ownLabels(provenance, placement.application)
  const labels = defined({
    ...own,
    [label.service]: placement.service,
    [label.container]: spec.name,
    [label.role]: placement.role,
    [label.version]: placement.version,
    [label.fingerprint]: placement.fingerprint,
    [label.image]: spec.image.reference,
    [label.digest]: digestOf(spec.image.pin),
    [label.networks]: [network.name, ...attachments.map(({ name }) => name), ...gates].join(' '),
    [label.commit]: placement.commit ?? provenance.commit,
    [label.record]: provenance.record,
  }) as Record<string, string>
  // A host that is a node of the Swarm must not take a task for a container of its own, whatever its image says.
  const none = Object.fromEntries(Object.values(label).map(name => [name, '']))
  const ofTask = { ...spec.labels, ...none, [label.fingerprint]: placement.fingerprint }
  return {
    Name: service,
    Labels: labels,
    TaskTemplate: defined({
      ContainerSpec: containerSpec(spec, { labels: ofTask, own, image: imageOf(spec.image) }, files),
      Networks: [
        { Target: network.name, Aliases: aliases },
        ...attachments.map(({ name }) => ({ Target: name })),
        ...(runs.gate === undefined ? [] : [{ Target: runs.gate.network, Aliases: [runs.gate.alias] }]),
      ],
      Resources: resourcesOf(spec),
      Placement: nodesOf(runs),
      RestartPolicy: restartOf(spec.restart),
      LogDriver: spec.logging && defined({ Name: spec.logging.driver ?? '', Options: spec.logging.options }),
    }) as ServiceSpec['TaskTemplate'],
  }
}

/** A pause between two tasks lets one that crashes end the update before the next one is replaced. */
function updateOf(
  { update: { parallelism, order, monitorMs } }: SwarmService,
  { healthcheck }: Container,
): object {
  const isChecked = healthcheck?.kind === 'command'
  return {
    Parallelism: parallelism,
    Order: order,
    Delay: isChecked ? 0 : nanoseconds(monitorMs),
    Monitor: nanoseconds(Math.max(monitorMs, leastMonitorMs)),
    FailureAction: 'pause',
    MaxFailureRatio: 0,
  }
}

/** What is 0 means the Swarm's own value. */
const leastMonitorMs = 1_000

function resourcesOf(spec: Container): object | undefined {
  const limits = defined({ NanoCPUs: spec.nanoCpus, MemoryBytes: spec.memoryBytes, Pids: spec.pidsLimit })
  const reservations = defined({ MemoryBytes: spec.memoryReservationBytes })
  const all = defined({
    Limits: Object.keys(limits).length === 0 ? undefined : limits,
    Reservations: Object.keys(reservations).length === 0 ? undefined : reservations,
  })
  return Object.keys(all).length === 0 ? undefined : all
}

/**
 * A Swarm compares the architecture with what a node says of itself, and knows some names for the same one. Of `arm` it
 * knows none, and no node calls itself that: any of what they say may be meant, for the variant stands in no other name.
 */
const namesOfArm = ['armv6l', 'armv7l', 'armv8l']

/** Nodes and we name platforms as images do, but for `arm` and for the variant, which no other node tells. */
function nodesOf({ constraints, spread, platform }: SwarmService): object | undefined {
  if ((constraints ?? spread ?? platform) === undefined) return undefined
  const [OS, Architecture] = platform?.split('/') ?? []
  return defined({
    Constraints: constraints,
    Preferences: spread?.map(name => ({ Spread: { SpreadDescriptor: `node.labels.${name}` } })),
    Platforms:
      platform &&
      (Architecture === 'arm' ? namesOfArm : [Architecture]).map(name => ({ OS, Architecture: name })),
  })
}

function restartOf({ name, maxRetries }: RestartPolicy): object {
  const conditions = {
    no: 'none',
    always: 'any',
    'unless-stopped': 'any',
    'on-failure': 'on-failure',
  } as const
  return defined({ Condition: conditions[name], MaxAttempts: maxRetries })
}

function portOf({ target, published, protocol }: Port, { publish }: SwarmService): object {
  return defined({ Protocol: protocol, TargetPort: target, PublishedPort: published, PublishMode: publish })
}

function nanoseconds(ms: number): number {
  return ms * 1_000_000
}
