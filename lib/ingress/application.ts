import type { Application, Instance, Service, Strategy } from '../state/application/application.ts'
import type { File } from '../state/application/container/container.ts'
import { externalInstance } from '../state/application/ingress/external.ts'
import type { IngressSettings } from '../state/application/ingress/ingress-settings.ts'
import { claimOf, ingressName, type Route, type Routing } from '../state/application/ingress/route.ts'
import { gatesOf, routesOf, type Traffic } from '../state/application/ingress/traffic.ts'
import type { Network } from '../state/application/network.ts'
import { hashOf } from '../state/canonical.ts'
import { byText } from '../text/order.ts'
import type { RoutedApplication } from './as-loaded.ts'
import {
  bearing,
  type Configuration,
  configurationFor,
  configurationText,
  emptyConfiguration,
} from './configuration/configuration.ts'
import type { Dialect } from './configuration/dialect.ts'
import { serve } from './container/commands.ts'
import { files } from './container/files.ts'
import { publishedPorts } from './ports.ts'
import { staticsService } from './statics.ts'

/**
 * Returns the ingress that these applications need: one Caddy for all their routes, and one for each static file
 * system. Undefined if there is no route. A Caddy of the operator stays without routes then, because it has to forget
 * the last one.
 */
export function ingressApplication(
  environment: string,
  applications: readonly RoutedApplication[],
  settings: IngressSettings,
): Application | undefined {
  const services = applications.flatMap(({ services }) => services)
  const routes = services.flatMap(routesOf).sort(byText(claimOf))
  const isEmpty = routes.length === 0 && !(settings.isExternal && applications.length > 0)
  if (isEmpty) return undefined
  const statics = services.flatMap(service => staticsService(environment, service, settings) ?? [])
  return {
    name: ingressName,
    services: [
      ingressService(environment, { routes, networks: distinctGates(services) }, settings),
      ...new Map(statics.map(service => [service.name, service])).values(),
    ],
    requires: [],
  }
}

/**
 * The gate checks only that the ingress keeps running for a moment. Loading the routes, which the rollout needs, shows
 * that it works.
 */
const strategy: Strategy = {
  type: 'auto',
  maxSurge: '25%',
  maxUnavailable: '25%',
  healthyMs: 500,
  timeoutMs: 120_000,
}

type Reached = { readonly routes: readonly Route[]; readonly networks: readonly Network[] }

function ingressService(environment: string, reached: Reached, settings: IngressSettings): Service {
  const traffic: Traffic = { role: 'proxy', routing: routingFor(reached, settings) }
  const instance = settings.isExternal ? externalInstance() : ownInstance(environment, settings)
  return { name: ingressName, instances: [instance], strategy, traffic }
}

function routingFor(reached: Reached, settings: IngressSettings): Routing {
  const say = (dialect: Dialect) => configurationFor(reached.routes, settings, dialect)
  const [newer, older] = [say('newer'), say('older')]
  const mark = hashOf(JSON.stringify([newer, older])).slice(0, 8)
  const textFor = (configuration: Configuration) =>
    configurationText(settings.isExternal ? bearing(mark, configuration) : configuration, settings)
  const runBy = settings.isExternal ? 'operator' : 'tallyman'
  return { runBy, ...reached, configuration: { newer: textFor(newer), older: textFor(older) }, mark }
}

function ownInstance(environment: string, settings: IngressSettings): Instance {
  const data = { name: `${environment}.${ingressName}.data`, application: ingressName }
  return {
    containers: [
      {
        name: ingressName,
        image: settings.image,
        ...serve,
        restart: { name: 'unless-stopped' },
        stopGraceMs: 10_000,
        capDrop: ['ALL'],
        capAdd: ['NET_BIND_SERVICE'],
        // The engine does not ask name servers outside for an alias that no container has.
        dnsOptions: ['ndots:1'],
        ports: publishedPorts(settings).map(({ port }) => port),
        mounts: [{ kind: 'volume', volume: data.name, path: files.volume, exclusive: false }],
        files: filesOf(settings),
        // Each health check would start a program. Loading the routes shows whether the ingress works.
        healthcheck: { kind: 'none' },
      },
    ],
    network: { name: `${environment}.${ingressName}`, application: ingressName, pool: settings.pool },
    volumes: [data],
  }
}

/** Returns the files that it starts with and the files that its configuration names. */
function filesOf({ acme: { root } }: IngressSettings): readonly File[] {
  return [
    { path: files.current, content: JSON.stringify(emptyConfiguration), mode: 0o600 },
    ...(root === undefined ? [] : [{ path: files.root, content: root, mode: 0o600 }]),
  ]
}

function distinctGates(services: readonly Pick<Service, 'traffic'>[]): readonly Network[] {
  const all = services.flatMap(({ traffic }) => gatesOf(traffic))
  const gates = new Map(all.map(gate => [gate.name, gate]))
  return [...gates.values()].sort(byText(({ name }) => name))
}
