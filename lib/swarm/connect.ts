import type { Client, ClientOptions } from '../docker/api/client.ts'
import { openClient } from '../docker/api/client.ts'
import { guarding } from '../docker/api/guarding.ts'
import { redacting } from '../docker/api/redacting.ts'
import { distribution, localImage } from '../docker/images.ts'
import { resources } from '../docker/observe/resources.ts'
import type { SiteEndpoint } from '../endpoint.ts'
import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'
import { optional } from '../object.ts'
import { isDoneBySwarm } from '../plan/step/traits.ts'
import type { SwarmOptions } from '../state/application/swarm/swarm-service.ts'
import { asOne, type Managers } from './api/managers.ts'
import { claimsOnSwarm } from './claims.ts'
import { infoOfSwarm } from './info.ts'
import { jointLooks } from './observe/joint-looks.ts'
import { type KnownSwarm, nothingKnown, observeSwarm } from './observe/observe.ts'
import type { Manager } from './steps/apply-service.ts'

/** A site that is a Swarm, by one of its managers, and what the operator says of it. */
export type SwarmSite = SiteEndpoint & {
  readonly swarm: SwarmOptions
  /** The endpoints of further managers; absent: there are none. */
  readonly managers?: readonly string[]
}

/**
 * Connects to a manager of a Swarm as a site. Asks nothing before the first call, and loads code that a pass without
 * changes does not need only when it is used.
 * @param key returns the key of the marks by which somebody's changes are found
 */
export function connectSwarm(
  site: SwarmSite,
  login: Client['login'],
  key: KnownSwarm['key'],
  options: ClientOptions = {},
): Engine {
  const known = nothingKnown(key)
  const opened = (endpoint: SiteEndpoint) => openClient(endpoint, login, options)
  const others = (site.managers ?? []).map(endpoint => opened({ ...site, endpoint }))
  const endpoints = [site.endpoint, ...(site.managers ?? [])]
  return engineOf(asOne([opened(site), ...others], endpoints), site, known)
}

function engineOf(
  client: Managers,
  site: SwarmSite,
  known: KnownSwarm,
  looks: Manager['looks'] = jointLooks(client),
): Engine {
  const { swarm } = site
  const endpoints = [site.endpoint, ...(site.managers ?? [])]
  return {
    site: client.site,
    swarm,
    ...(client.tls === undefined ? {} : { tls: client.tls }),
    ...(client.socket === undefined ? {} : { socket: client.socket }),
    claims: claimsOnSwarm(client),
    close: () => client.close(),
    redacting(redact) {
      return engineOf(redacting(client, redact), site, known)
    },
    // Passes side by side use the same files, so they look together.
    guarded: certainly => engineOf(guarding(client, certainly), site, known, looks),
    info: signal => infoOfSwarm(client, signal),
    version: () => client.engineVersion(),
    answeredWithin: ms => client.answeredWithin(ms),
    managers: () =>
      client.seen().map((seen, index) => ({ ...optional('endpoint', endpoints[index]), ...seen })),
    observe: (scope, signal) => observeSwarm(client, known, scope, signal),
    async resources(scope, signal) {
      const { listUnneededFiles } = await import('./service/files.ts')
      // Nodes make volumes where a manager does not see it.
      const [{ networks, taken }, files] = await Promise.all([
        resources(client, scope, signal, 'swarm'),
        listUnneededFiles(client, scope, signal),
      ])
      return { networks, volumes: [], unneededFiles: files, ...optional('taken', taken) }
    },
    async takenPorts(scope, signal) {
      const { portsOnSwarm } = await import('./observe/taken-ports.ts')
      return portsOnSwarm(client, scope, signal)
    },
    async takenServices(scope, signal) {
      const { listTakenServices } = await import('./observe/taken-services.ts')
      return listTakenServices(client, scope, signal)
    },
    async asHost(signal) {
      const { asHost } = await import('./observe/as-host.ts')
      return asHost(client, signal)
    },
    async nodes(signal) {
      const { toldNodes } = await import('./observe/told-nodes.ts')
      return toldNodes(client, signal)
    },
    async holders(signal) {
      const { holdersOnSwarm } = await import('./observe/environments-there.ts')
      return holdersOnSwarm(client, signal)
    },
    images: async () => [],
    async execute(step, provenance, signal, note, seen) {
      if (!isDoneBySwarm(step)) throw new Failure('internal', `${client.site}: a Swarm cannot ${step.do}`)
      const { executeOnSwarm } = await import('./execute.ts')
      return executeOnSwarm({ client, known, looks }, step, provenance, signal, note, seen)
    },
    async renewLogins(services, owner, signal) {
      const { renewLogins } = await import('./renew-logins.ts')
      return renewLogins({ client, known }, services, owner, signal)
    },
    async watch(scope, onEvent, signal, onListening) {
      const { watchSwarm } = await import('./observe/events.ts')
      return watchSwarm(client, scope, onEvent, signal, onListening)
    },
    async logged(signal) {
      const { listTasks } = await import('./logs.ts')
      return listTasks(client, signal)
    },
    async *log(task, span, signal) {
      const { logOfTask } = await import('./logs.ts')
      yield* logOfTask(client, task, span, signal)
    },
    localImage: (reference, signal) => localImage(client, reference, signal),
    distribution: (reference, signal) => distribution(client, reference, signal),
    ingress: async () => undefined,
    async setDraining() {
      const why = 'nothing can be run in the tasks of an ingress of a Swarm'
      throw new Failure('ingress-unreachable', `${client.site}: ${why}`, {
        hint: 'Tell your load balancers themselves.',
      })
    },
  }
}
