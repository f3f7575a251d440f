import { isWild } from '../../state/application/ingress/covering.ts'
import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { Secret, type Text } from '../../state/secret/secret.ts'
import { adminAddress } from '../container/commands.ts'
import { files } from '../container/files.ts'
import { loadedId } from '../container/replies.ts'
import { ports } from '../ports.ts'
import { answers, isSecureOnly, patiencesOf, plainAnswers, toHttps } from './answer-requests.ts'
import { healthRoutes, withoutHealth } from './balancer-checks.ts'
import { certificatesFor } from './certificates.ts'
import { type CaddyRoute, type Dialect, notFound, subroute, withoutUnderscores } from './dialect.ts'
import { byHost, dispatch, type Host, isNamed } from './hosts.ts'
import { proxies } from './pass-on.ts'
import { withoutAnswer } from './unavailable.ts'

/** A configuration of Caddy, in its own form. Keys in it are `Secret`. The same input gives the same configuration. */
export type Configuration = Readonly<Record<string, unknown>>

/** The configuration with which Caddy starts, before it has loaded any routes. */
export const emptyConfiguration: Configuration = {
  admin: { listen: adminAddress, config: { persist: false } },
  storage: { module: 'file_system', root: files.storage },
}

/** Returns the configuration for all routes. Requests that match no route are answered with 404. */
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
    // A connection that was made for one host cannot be used for another.
    strict_sni_host: true,
    // HTTP/3 announces the port of the container to browsers, which is wrong unless the host uses 443.
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
 * Returns the configuration with its own mark, because Tallyman cannot rename the operator's Caddy to show what it has
 * loaded. This Caddy may store the configuration, to have it again after a restart.
 */
export function bearing(mark: string, configuration: Configuration): Configuration {
  return { '@id': `${loadedId}${mark}`, ...configuration, admin: { listen: adminAddress } }
}

/** Returns the text that Caddy reads. It is a secret if it contains a key. */
export function configurationText(
  configuration: Configuration,
  { certificates, compose }: IngressSettings,
): Text {
  const text = JSON.stringify(configuration, (_, value) => (value instanceof Secret ? value.reveal() : value))
  return certificates.length === 0 ? text : compose(text)
}

/**
 * Whether hosts over HTTPS can be counted one by one. Caddy 2.11 counts every host for which it has a certificate, and
 * forgets none. With a certificate for `*.`, clients could invent hosts without end.
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
 * Returns routes for the named hosts, and after them for all others. Caddy counts requests by the handlers of a
 * server's own routes, and each request goes through one. A newer Caddy counts each host separately that such a route
 * names, and all others as one. It compares hosts as clients write them, with the port unless it is the usual one.
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

/** Returns a server. It turns off what Caddy does by itself about certificates, and sets that explicitly instead. */
function server(port: number, routes: readonly CaddyRoute[], errors: readonly CaddyRoute[]): Configuration {
  return {
    listen: [`:${port}`],
    automatic_https: { disable: true },
    read_header_timeout: '30s',
    routes,
    errors: { routes: errors },
  }
}

/** Errors go to stderr, a few of each kind. Requests go to stdout if they are logged at all. */
function loggingOf({ accessLog }: IngressSettings): Configuration {
  const requests = 'http.log.access'
  return {
    logs: {
      default: {
        encoder: { format: 'json' },
        // Leaves out Tallyman's own requests, which come every other second.
        exclude: [requests, 'admin.api'],
        sampling: { interval: 10_000_000_000, first: 5, thereafter: 1_000 },
      },
      ...(accessLog
        ? { requests: { writer: { output: 'stdout' }, encoder: { format: 'json' }, include: [requests] } }
        : {}),
    },
  }
}
