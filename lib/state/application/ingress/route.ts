import { optional } from '../../../object.ts'
import { hashOf } from '../../canonical.ts'
import type { Text } from '../../secret/secret.ts'
import type { Requests } from '../claim.ts'
import type { Mount } from '../container/container.ts'
import type { Network } from '../network.ts'
import type { Volume } from '../volume.ts'

/**
 * A rule by which users' requests go to a service (P33). The most specific matching route answers: by host, then by
 * path.
 */
export type Route = {
  readonly application: string
  readonly service: string
  /** In the form of `parseRequestHost`; absent: every host that no other route names. */
  readonly host?: string
  /** In the form of `parseRequestPath`: `/`, or a path without a slash at its end. It includes everything below. */
  readonly path: string
  /** Where the service listens: its alias on the gate. */
  readonly alias: string
  readonly port: number
  /**
   * - `auto`: HTTPS with a certificate of the operator that names the host, or else one of the configured authority.
   * - `internal`: HTTPS with a certificate of the ingress's own authority.
   * - `off`: HTTP only.
   */
  readonly tls: 'auto' | 'internal' | 'off'
  /** Requests over HTTP are answered too, instead of being redirected to HTTPS. */
  readonly alsoPlain?: true
  /** Requests are redirected to this address, followed by their path and query. */
  readonly redirect?: string
  /** The service sees the path of a request without the path of the route. */
  readonly strip?: true
  /** Headers to set on the request and on the answer; `null` removes one. */
  readonly headers?: {
    readonly request?: Readonly<Record<string, string | null>>
    readonly response?: Readonly<Record<string, string | null>>
  }
  readonly maxBodyBytes?: number
  /** How long the service may take until its answer begins; absent: without a limit. */
  readonly timeoutMs?: number
  /** How long a request waits for an instance before it is answered with 503. */
  readonly holdMs: number
  /** Requests below `/static/` are answered from this (P31). */
  readonly statics?: Statics
}

/** The static file system of an application: the alias of the service that serves it, and its mount. */
export type Statics = {
  readonly alias: string
  readonly port: number
  readonly mount: Mount
  readonly volumes: readonly Volume[]
}

/** Returns the name of a route: its host and its path. */
export function claimOf({ host = '*', path }: Pick<Route, 'host' | 'path'>): string {
  return `${host}${path}`
}

/**
 * Returns what a route claims: its requests, and with static files all those below their path (P31). No two routes of an
 * environment may claim the same.
 */
export function claimedBy({ host, path, statics, redirect }: Route): readonly Requests[] {
  const claimed = (path: string) => claimOf({ ...optional('host', host), path })
  const own: Requests = { of: 'requests', text: claimed(path) }
  if (statics === undefined || redirect !== undefined) return [own]
  return [own, { of: 'requests', text: claimed(staticPath(path)), isSubtree: true }]
}

/** Returns the path of the static files of a route. Everything below it belongs to them (P31). */
export function staticPath(path: string): string {
  return path === '/' ? '/static' : `${path}/static`
}

/**
 * The network on which the ingress reaches instances; nobody else is on it. An instance is attached under the alias
 * once it is ready, and loses the alias before it is told to stop (P12).
 */
export type Gate = { readonly network: Network; readonly alias: string }

/**
 * What the ingress has besides its container. It is loaded while the ingress runs, so that a change of routes restarts
 * nothing.
 */
export type Routing = {
  /** Whose container it is. The operator's is never created, changed or removed: it is only given routes. */
  readonly runBy: 'tallyman' | 'operator'
  readonly routes: readonly Route[]
  /** The whole configuration in the proxy's form, for newer and older versions; a secret if it contains a key. */
  readonly configuration: { readonly newer: Text; readonly older: Text }
  /** Eight hex digits of a hash over both. The name of a container that has loaded them contains the mark. */
  readonly mark: string
  /** The gates over which it reaches instances. */
  readonly networks: readonly Network[]
}

/** What the ingresses of these sites loaded last, which is the same on all of them. */
export type LoadedRoutes = { readonly sites: readonly string[]; readonly routes: readonly Route[] }

/** The name of the ingress as an application. No manifest can use it. */
export const ingressName = 'tallyman-ingress'

/**
 * Returns the gate of a service. Its alias is a single label, so that the engine itself answers when nobody has that
 * name.
 */
export function gateOf(environment: string, application: string, service: string, pool: string): Gate {
  const network: Network = {
    name: `${environment}.${application}${gateEnd}`,
    application,
    mode: 'gate',
    pool,
  }
  return { network, alias: gateAlias(application, service) }
}

/** Returns the alias of a service's instances on their gate. No other service of the environment has it. */
export function gateAlias(application: string, service: string): string {
  return `${service.replaceAll(' ', '-').slice(0, 40)}-${hashOf([application, service]).slice(0, 8)}`
}

/**
 * Whether a name, in any case, could be the alias of a service on some gate. The ingress is on every gate and asks for
 * names on all of them at once, so nothing else on a gate may have such a name.
 */
export function isGateAlias(name: string): boolean {
  return /-[0-9a-f]{8}$/i.test(name)
}

/** Whether a network is a gate, by its name. */
export function isGate(network: string): boolean {
  return network.endsWith(gateEnd) || network.includes(gateMiddle)
}

/**
 * Returns the gate of an application as an overlay of a Swarm. Its addresses are the Swarm's own choice. No application
 * has a name that begins with an underscore, so no other network of the environment has that name.
 */
export function overlayGate({ name, application = '' }: Network): Network {
  const environment = name.slice(0, name.length - `.${application}${gateEnd}`.length)
  return {
    name: `${environment.replaceAll('.', '_')}${gateMiddle}${application.replaceAll('.', '_')}`,
    application,
    mode: 'internal',
  }
}

const gateEnd = '.ingress'
const gateMiddle = '__gate_'
