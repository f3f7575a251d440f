import { hashOf } from './canonical.ts'
import type { Mount } from './container.ts'
import type { Network } from './network.ts'
import type { Text } from './secret.ts'
import type { Volume } from './volume.ts'

/** What of the users' requests goes where (P33). The most specific route that fits answers: by host, then by path. */
export type Route = {
  readonly application: string
  readonly service: string
  /** In its one form, as `parseRequestHost` makes it; absent: every host that no other route names. */
  readonly host?: string
  /** In its one form, as `parseRequestPath` makes it: `/`, or a path without a slash at its end, and all below it. */
  readonly path: string
  /** Where the service listens, by its name behind the gate. */
  readonly alias: string
  readonly port: number
  /**
   * - `auto`: HTTPS with a certificate of the operator that names the host, else one of the configured authority.
   * - `internal`: HTTPS with a certificate of the ingress's own authority.
   * - `off`: HTTP only.
   */
  readonly tls: 'auto' | 'internal' | 'off'
  /** HTTP answers, too, instead of sending on to HTTPS. */
  readonly alsoPlain?: true
  /** Requests are sent on to this address instead, with their path and query behind it. */
  readonly redirect?: string
  /** The path of the route is left out of what the service sees. */
  readonly strip?: true
  /** Set on what the service sees, and on what the user sees; `null` removes one. */
  readonly headers?: {
    readonly request?: Readonly<Record<string, string | null>>
    readonly response?: Readonly<Record<string, string | null>>
  }
  readonly maxBodyBytes?: number
  /** How long the service may take until its answer begins; absent: as long as it takes. */
  readonly timeoutMs?: number
  /** How long a request waits for an instance that takes it, before the answer is 503. */
  readonly holdMs: number
  /** What is asked for below `/static/` is answered from this (P31). */
  readonly statics?: Statics
}

/** The static file system of an application: who serves it, by its name behind the gate, and where it is mounted from. */
export type Statics = {
  readonly alias: string
  readonly port: number
  readonly mount: Mount
  readonly volumes: readonly Volume[]
}

/** What a route is called: its host and its path. */
export function claimOf({ host = '*', path }: Pick<Route, 'host' | 'path'>): string {
  return `${host}${path}`
}

/** What a route claims for itself, its static files included: no two routes of an environment claim the same. */
export function claimedBy({ host, path, statics, redirect }: Route): readonly string[] {
  const files = statics === undefined || redirect !== undefined ? [] : [staticPath(path)]
  return [path, ...files].map(one => claimOf({ ...(host === undefined ? {} : { host }), path: one }))
}

/** Where the static files of a route are: everything below this path (P31). */
export function staticPath(path: string): string {
  return path === '/' ? '/static' : `${path}/static`
}

/**
 * Where instances wait for requests: a network that only they and the ingress are on. An instance is attached under the
 * alias once it is ready, and loses the alias before it is told to stop (P12).
 */
export type Gate = { readonly network: Network; readonly alias: string }

/** What the ingress has besides its container: loaded while it runs, so that a change of routes restarts nothing. */
export type Routing = {
  readonly routes: readonly Route[]
  /** The whole configuration as the proxy takes it, by what it understands; a secret where it holds a key. */
  readonly configuration: { readonly newer: Text; readonly older: Text }
  /** Eight hex digits of a hash over both: what the name of a container carries that has loaded it. */
  readonly mark: string
  /** The gates it reaches instances through. */
  readonly networks: readonly Network[]
}

/** The application that the ingress is; no manifest can name it. */
export const ingressName = 'tallyman-ingress'

/** The gate of a service. Its alias is one label, so that the engine itself knows when there is nobody of that name. */
export function gateOf(environment: string, application: string, service: string, pool: string): Gate {
  const network: Network = {
    name: `${environment}.${application}${gateEnd}`,
    application,
    mode: 'gate',
    pool,
  }
  return { network, alias: gateAlias(application, service) }
}

/** What instances of a service are called behind their gate: no other service of the environment has it. */
export function gateAlias(application: string, service: string): string {
  return `${service.replaceAll(' ', '-').slice(0, 40)}-${hashOf([application, service]).slice(0, 8)}`
}

/**
 * Whether a name, in any case, could be that of a service behind some gate. The ingress is on every gate and asks for names
 * on all of them at once, so that nothing else on any may be called like that.
 */
export function isGateAlias(name: string): boolean {
  return /-[0-9a-f]{8}$/i.test(name)
}

/** Whether a network is a gate, by its name. */
export function isGate(network: string): boolean {
  return network.endsWith(gateEnd)
}

const gateEnd = '.ingress'
