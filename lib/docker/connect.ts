import type { SiteEndpoint } from '../endpoint.ts'
import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'
import { isDoneByHost } from '../plan/step/traits.ts'
import { type Client, type ClientOptions, openClient } from './api/client.ts'
import { guarding } from './api/guarding.ts'
import { redacting } from './api/redacting.ts'
import { claimVolumes } from './claim-volumes.ts'
import { distribution, localImage, untaggedImages } from './images.ts'
import { info, managesSwarm } from './info.ts'
import { observe } from './observe/observe.ts'
import { resources } from './observe/resources.ts'

export type HostOptions = ClientOptions & {
  /** The operator said that it is one host. Otherwise it is seen whether it manages a Swarm. */
  readonly isHost?: boolean
}

/**
 * Connects to a Docker Engine as a site. Asks nothing before the first call, and loads code that a pass without changes
 * does not need only when it is used. `login` returns the credentials for a registry's host, and is called for each use
 * (G21).
 */
export function connect(
  site: SiteEndpoint,
  login: Client['login'],
  { isHost = false, ...options }: HostOptions = {},
): Engine {
  return engineOf(openClient(site, login, options), isHost ? undefined : { managesSwarm: false })
}

/** What was seen of an engine of which nobody said what it is. */
type Seen = { managesSwarm: boolean }

function engineOf(client: Client, seen: Seen | undefined): Engine {
  return {
    site: client.site,
    ...(client.tls === undefined ? {} : { tls: client.tls }),
    ...(client.socket === undefined ? {} : { socket: client.socket }),
    claims: claimVolumes(client),
    close: () => client.close(),
    redacting: redact => engineOf(redacting(client, redact), seen),
    guarded: certainly => engineOf(guarding(client, certainly), seen),
    async info(signal) {
      const told = await info(client, signal)
      if (seen !== undefined) seen.managesSwarm = told.managesSwarm === true
      return told
    },
    version: () => client.engineVersion(),
    answeredWithin: ms => client.answeredWithin(ms),
    ...(seen === undefined ? {} : { managesSwarm: () => seen.managesSwarm }),
    observe: (scope, signal) => observe(client, scope, signal),
    async resources(scope, signal) {
      const { isOfSwarm, ...found } = await resources(client, scope, signal)
      if (seen === undefined) return found
      seen.managesSwarm = isOfSwarm && (await managesSwarm(client, signal))
      return seen.managesSwarm ? { ...found, managesSwarm: true } : found
    },
    async takenPorts(scope, signal) {
      const { takenPorts } = await import('./observe/taken/taken-ports.ts')
      return takenPorts(client, scope, signal)
    },
    async takenVolumes(names, scope, signal) {
      const { takenVolumes } = await import('./observe/taken/taken-volumes.ts')
      return takenVolumes(client, names, scope, signal)
    },
    async holders(signal) {
      const { holders } = await import('./observe/environments-there.ts')
      return holders(client, signal)
    },
    images: signal => untaggedImages(client, signal),
    async execute(step, provenance, signal, note) {
      if (!isDoneByHost(step)) throw new Failure('internal', `${client.site}: a host cannot ${step.do}`)
      const { execute } = await import('./execute.ts')
      return execute(client, step, provenance, signal, note)
    },
    async watch(scope, onEvent, signal, onListening) {
      const { watch } = await import('./observe/events.ts')
      return watch(client, scope, onEvent, signal, onListening)
    },
    async logged(signal) {
      const { listLogged } = await import('./logs/list-logged.ts')
      return listLogged(client, signal)
    },
    async *log(container, span, signal) {
      const { readLog } = await import('./logs/read-log.ts')
      yield* readLog(client, container, span, signal)
    },
    localImage: (reference, signal) => localImage(client, reference, signal),
    distribution: (reference, signal) => distribution(client, reference, signal),
    async ingress(scope, signal) {
      const { ingressReport } = await import('./ingress/ingress-report.ts')
      return ingressReport(client, scope, signal)
    },
    async setDraining(scope, isDraining, signal) {
      const { setDraining } = await import('./ingress/drain-site.ts')
      return setDraining(client, scope, isDraining, signal)
    },
  }
}
