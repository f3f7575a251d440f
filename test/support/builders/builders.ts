import type { Delivery } from '../../../lib/plan/change/change.ts'
import { wantedInstance } from '../../../lib/plan/compare/instance/instance.ts'
import type {
  Application,
  Instance,
  Job,
  Service,
  Strategy,
} from '../../../lib/state/application/application.ts'
import type { Container, Pin } from '../../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { digestOf } from '../../../lib/state/application/fingerprint.ts'
import type { Network } from '../../../lib/state/application/network.ts'
import type { Volume } from '../../../lib/state/application/volume.ts'
import type { Identity } from '../../../lib/state/identity.ts'
import type { LiveContainer, LiveState, Role } from '../../../lib/state/running/live.ts'
import { usual } from './changes.ts'

/** What a service of a test is like; everything has a default. */
export type ServiceParts = {
  readonly name?: string
  /** Tag of its image, one hex digit: the digest is that digit 64 times. */
  readonly tag?: string
  /** One tag per instance, for instances that differ; takes the place of `tag` and `replicas`. */
  readonly tags?: readonly string[]
  readonly replicas?: number
  readonly pin?: Pin
  readonly hostPort?: number
  readonly exclusiveVolume?: string
  /** How its volume is made; absent: as an engine makes any. */
  readonly made?: Pick<Volume, 'driver' | 'driverOptions'>
  readonly network?: string
  readonly env?: Readonly<Record<string, string>>
  readonly strategy?: Partial<Strategy>
  /** Names of further containers in every instance, each from an image of its own name. */
  readonly beside?: readonly string[]
  /** Name of an init container in every instance; an instance with one, or with `inSandbox`, has a sandbox. */
  readonly init?: string
  readonly inSandbox?: boolean
  /** What runs once per rollout. */
  readonly jobs?: readonly Job['stage'][]
  /** What those run. */
  readonly jobCommand?: readonly string[]
}

/** One digest per hex digit, so that a reader sees which is which. */
export function digest(digit: string): string {
  return `sha256:${digit.repeat(64)}`
}

/** Replaced 25 % at a time, as the defaults say; healthy after a second, given up after a minute. */
export const strategy: Strategy = {
  type: 'auto',
  maxSurge: '25%',
  maxUnavailable: '25%',
  healthyMs: 1_000,
  timeoutMs: 60_000,
}

export function service(parts: ServiceParts = {}): Service {
  const { name = 'web', tag = '1', replicas = 1 } = parts
  const tags = parts.tags ?? Array.from({ length: replicas }, () => tag)
  return {
    name,
    instances: tags.map(tag => instance({ ...parts, name, tag })),
    strategy: { ...strategy, ...parts.strategy },
    ...(parts.jobs === undefined ? {} : { jobs: parts.jobs.map(stage => job(stage, { ...parts, name })) }),
  }
}

/** A job that gives the rollout up when it fails. */
export function job(stage: Job['stage'], parts: ServiceParts = {}): Job {
  const { network = 'prod', jobCommand } = parts
  return {
    stage,
    container: {
      ...container(parts),
      name: stage,
      restart: { name: 'no' },
      ...(jobCommand === undefined ? {} : { command: jobCommand }),
    },
    network: { name: network },
    volumes: [],
    onFailure: 'abort',
  }
}

export function instance(parts: ServiceParts = {}): Instance {
  const { name = 'web', network = 'prod', exclusiveVolume, made, beside = [], init, inSandbox } = parts
  const volumes = exclusiveVolume === undefined ? [] : [{ name: exclusiveVolume, application: name, ...made }]
  return {
    ...(init === undefined && inSandbox !== true ? {} : { sandbox: container({ name: 'sandbox' }) }),
    ...(init === undefined ? {} : { init: [{ ...container({ name: init }), restart: { name: 'no' } }] }),
    containers: [container(parts), ...beside.map(other => container({ ...parts, name: other }))],
    network: { name: network },
    volumes,
  }
}

export function container(parts: ServiceParts = {}): Container {
  const { name = 'web', tag = '1', pin, hostPort, exclusiveVolume, env } = parts
  return {
    name,
    image: {
      reference: `example.com/${name}:${tag}`,
      pin: pin ?? { state: 'pinned', digest: digest(tag) },
    },
    restart: { name: 'unless-stopped' },
    stopGraceMs: 10_000,
    ...(env === undefined ? {} : { env }),
    ...(hostPort === undefined ? {} : { ports: [{ target: 80, published: hostPort, protocol: 'tcp' }] }),
    ...(exclusiveVolume === undefined
      ? {}
      : { mounts: [{ kind: 'volume', volume: exclusiveVolume, path: '/data', exclusive: true }] }),
  }
}

/** An application; `requires` names the applications that come first. */
export function application(
  name: string,
  services: readonly Service[],
  parts: { readonly requires?: readonly string[]; readonly version?: string } = {},
): Application {
  const { requires = [], version } = parts
  return {
    name,
    services,
    requires: requires.map(application => ({ application, range: '*' })),
    ...(version === undefined ? {} : { version }),
  }
}

/** An environment of the repository `ops/manifests`. */
export function identity(environment: string): Identity {
  return {
    environment,
    source: 'ops/manifests',
    address: 'https://git.example.com/ops/manifests',
    directory: `environments/${environment}`,
  }
}

/** What `prod` is to run: each service an application of its own name, as a plain manifest has it. */
export function desired(...parts: readonly (ServiceParts | Application)[]): DesiredState {
  const applications = parts.map(part =>
    'services' in part ? part : application(part.name ?? 'web', [service(part)]),
  )
  return {
    ...identity('prod'),
    revision: {
      ref: 'main',
      commit: 'c0ffee0000000000000000000000000000000000',
      author: 'Ann',
      subject: 'Ship it',
      time: '2026-01-01T00:00:00Z',
    },
    skipConfirmation: false,
    applications,
    blocked: [],
    warnings: [],
  }
}

/** What runs when these states were applied, one after the other and side by side, without anything removed. */
export function live(...states: readonly DesiredState[]): LiveState {
  const containers = states.flatMap(({ environment, applications, revision }) =>
    applications.flatMap(application =>
      application.services.flatMap(service =>
        service.instances.flatMap((instance, index) =>
          liveInstance(environment, application, service, instance, index + 1, revision.commit),
        ),
      ),
    ),
  )
  return { site: 'local', containers }
}

function liveInstance(
  environment: string,
  application: Application,
  service: Service,
  instance: Instance,
  number: number,
  commit: string,
): readonly LiveContainer[] {
  return wantedInstance(environment, application, service, instance, number).containers.map(
    ({ engineName, placement, spec }) => ({
      ...liveContainer(engineName, placement, spec, commit),
      ...(placement.role === 'init' ? { state: 'exited' as const, exitCode: 0 } : {}),
      ...(placement.joins === undefined ? {} : { networks: [] }),
    }),
  )
}

/** A container as the engine lists it once it was made and started. */
export function liveContainer(
  engineName: string,
  placement: {
    readonly application: string
    readonly service: string
    readonly instance: number
    readonly version?: string
    readonly fingerprint: string
    readonly network: Network
    readonly role?: Role
  },
  spec: Container,
  commit: string,
): LiveContainer {
  const { application, service, instance, version, fingerprint, network, role = 'app' } = placement
  return {
    id: `id of ${engineName}`,
    engineName,
    state: 'running',
    health: 'none',
    status: 'Up 5 minutes',
    networks: [network.name],
    application,
    service,
    instance,
    container: spec.name,
    role,
    ...(version === undefined ? {} : { version }),
    fingerprint,
    image: spec.image.reference,
    digest: digestOf(spec.image.pin),
    commit,
  }
}

/** The same, with the containers of one instance (`web.1`) changed from outside. */
export function changed(state: LiveState, name: string, parts: Partial<LiveContainer>): LiveState {
  return {
    ...state,
    containers: state.containers.map(one => (nameOf(one) === name ? { ...one, ...parts } : one)),
  }
}

/** The same, with one instance (`web.1`) gone. */
export function without(state: LiveState, name: string): LiveState {
  return { ...state, containers: state.containers.filter(one => nameOf(one) !== name) }
}

function nameOf({ service, instance }: LiveContainer): string {
  return `${service}.${instance}`
}

/** One change of a plan, for those who only carry it on. */
export function change(parts: Partial<Delivery> = {}): Delivery {
  const aim = { target: 'target-2', release: 'release-2' }
  return { ...usual(parts), action: 'replace', cause: 'diverged', fields: [], jobs: [], ...aim, ...parts }
}
