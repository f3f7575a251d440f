import { loadedId } from '../state/loaded.ts'
import type { Route } from '../state/route.ts'
import { Secret, type Text } from '../state/secret.ts'
import { answers, isSecureOnly, patiencesOf, plainAnswers, toHttps } from './answer.ts'
import { type CaddyRoute, type Dialect, notFound, subroute, withoutUnderscores } from './caddy.ts'
import { certificatesFor } from './certificates.ts'
import { healthRoutes, withoutHealth } from './health.ts'
import { byHost, dispatch, type Host, isNamed, isWild } from './hosts.ts'
import { proxies } from './pass-on.ts'
import { ports } from './ports.ts'
import type { IngressSettings } from './settings.ts'
import { withoutAnswer } from './unavailable.ts'

/** What Caddy is told, in its own words; a key in it is a `Secret`. The same for the same input. */
export type Configuration = Readonly<Record<string, unknown>>

const adminAddress = 'localhost:2019'

/** What Caddy starts with before it has loaded any routes. */
export const emptyConfiguration: Configuration = {
  /** Inside the container only: whoever reaches it may change everything. */
  admin: { listen: adminAddress, config: { persist: false } },
  storage: { module: 'file_system', root: '/data/caddy' },
}

/** How Caddy is to answer the requests that routes claim; everything else is 404. */
export function configurationFor(
  routes: readonly Route[],
  settings: IngressSettings,
  dialect: Dialect,
): Configuration {
  const { accessLog, health } = settings
  const secure = routes.filter(({ tls }) => tls !== 'off')
  const errors = (of: 'http' | 'https') => withoutAnswer(settings, secure, { server: of, dialect })
  const logs = accessLog ? { logs: {} } : {}
  const counts = dialect === 'older' ? { metrics: {} } : {}
  const http = {
    ...server(ports.http, httpRoutes(routes, settings, dialect), errors('http')),
    ...counts,
    ...logs,
  }
  const https = {
    ...server(ports.https, httpsRoutes(secure, settings, dialect), errors('https')),
    ...counts,
    ...logs,
    tls_connection_policies: [{}],
    // who made a connection for one host asks for no other on it
    strict_sni_host: true,
    // browsers are told the port in here, which is another one where it is not 443
    protocols: ['h1', 'h2', ...(settings.https.port === 443 ? ['h3'] : [])],
  }
  return {
    ...emptyConfiguration,
    logging: loggingOf(settings),
    apps: {
      http: {
        ...(dialect === 'newer' ? { metrics: { per_host: isCountable(secure, settings) } } : {}),
        servers: {
          http,
          ...(secure.length === 0 ? {} : { https }),
          ...(health === undefined
            ? {}
            : { health: server(ports.health, healthRoutes(routes, dialect), withoutHealth) }),
        },
      },
      ...(secure.length === 0
        ? {}
        : {
            tls: certificatesFor(secure, settings),
            pki: { certificate_authorities: { local: { install_trust: false } } },
          }),
    },
  }
}

/**
 * With the mark of itself, by which the operator's Caddy tells what it has loaded: its name is not ours to change. It may
 * keep it, to have it again after a restart.
 */
export function bearing(mark: string, configuration: Configuration): Configuration {
  return { '@id': `${loadedId}${mark}`, ...configuration, admin: { listen: adminAddress } }
}

/** As Caddy reads it; a secret where it holds a key. */
export function textOf(configuration: Configuration, { certificates, compose }: IngressSettings): Text {
  const text = JSON.stringify(configuration, (_, value) => (value instanceof Secret ? value.reveal() : value))
  return certificates.length === 0 ? text : compose(text)
}

/**
 * Whether the hosts over HTTPS can be counted one by one. Caddy 2.11 counts every host that it has a certificate for,
 * and forgets none: what a client makes up for a `*.` would be without an end.
 */
function isCountable(secure: readonly Route[], { certificates }: IngressSettings): boolean {
  return secure.every(isNamed) && !certificates.some(({ names }) => names.some(isWild))
}

function httpRoutes(
  routes: readonly Route[],
  settings: IngressSettings,
  dialect: Dialect,
): readonly CaddyRoute[] {
  return namedApart(byHost(routes), settings.http.port, hosts => {
    const isSent = (host: Host) => isNamed(host) && host.routes.every(isSecureOnly)
    const sent = hosts.filter(isSent).map(({ host }) => host)
    const others = hosts.filter(host => !isSent(host))
    const plain = others.flatMap(({ routes }) => routes).filter(route => !isSecureOnly(route))
    return [
      ...(sent.length === 0 ? [] : [{ group: 'host', match: [{ host: sent }], handle: [toHttps(settings)] }]),
      ...dispatch(others, ({ routes }) => plainAnswers(routes, settings)),
      ...proxies(patiencesOf(plain), settings, dialect),
    ]
  })
}

function httpsRoutes(
  secure: readonly Route[],
  settings: IngressSettings,
  dialect: Dialect,
): readonly CaddyRoute[] {
  return namedApart(byHost(secure), settings.https.port, hosts => [
    ...dispatch(hosts, ({ routes }) => answers(routes)),
    ...proxies(patiencesOf(hosts.flatMap(({ routes }) => routes)), settings, dialect),
  ])
}

/**
 * The hosts that routes name, and behind them all others. Caddy counts requests by the handlers of a server's own routes:
 * each goes through one. A newer Caddy counts hosts by themselves that such a route names, as clients write them, which
 * is with the port unless it is the usual one, and all others as one.
 */
function namedApart(
  hosts: readonly Host[],
  port: number,
  routesFor: (hosts: readonly Host[]) => readonly CaddyRoute[],
): readonly CaddyRoute[] {
  const named = hosts.filter(isNamed)
  const names = named.flatMap(({ host }) => [host, `${host}:${port}`])
  const others = hosts.filter(host => !isNamed(host))
  const all = (part: readonly Host[]) => [subroute([withoutUnderscores, ...routesFor(part), notFound])]
  return [
    ...(named.length === 0 ? [] : [{ match: [{ host: names }], handle: all(named) }]),
    { handle: all(others) },
  ]
}

/** What Caddy does with certificates by itself is said in so many words instead. */
function server(port: number, routes: readonly CaddyRoute[], errors: readonly CaddyRoute[]): Configuration {
  return {
    listen: [`:${port}`],
    automatic_https: { disable: true },
    read_header_timeout: '30s',
    routes,
    errors: { routes: errors },
  }
}

/** Errors go to stderr, a few of a kind; who asked for what to stdout, if at all. */
function loggingOf({ accessLog }: IngressSettings): Configuration {
  const requests = 'http.log.access'
  return {
    logs: {
      default: {
        encoder: { format: 'json' },
        // our own questions, every other second
        exclude: [requests, 'admin.api'],
        sampling: { interval: 10_000_000_000, first: 5, thereafter: 1_000 },
      },
      ...(accessLog
        ? { requests: { writer: { output: 'stdout' }, encoder: { format: 'json' }, include: [requests] } }
        : {}),
    },
  }
}
