import type { Route } from '../state/route.ts'
import { Secret, type Text } from '../state/secret.ts'
import { answers, isSecureOnly, patiencesOf, plainAnswers, toHttps } from './answer.ts'
import { type CaddyRoute, notFound, subroute } from './caddy.ts'
import { certificatesFor } from './certificates.ts'
import { healthRoutes, withoutHealth } from './health.ts'
import { byHost, dispatch, isWild } from './hosts.ts'
import { proxies } from './pass-on.ts'
import { ports } from './ports.ts'
import type { IngressSettings } from './settings.ts'
import { withoutAnswer } from './unavailable.ts'

/** What Caddy is told, in its own words; a key in it is a `Secret`. The same for the same input. */
export type Configuration = Readonly<Record<string, unknown>>

/** What Caddy starts with before it has loaded any routes. */
export const emptyConfiguration: Configuration = {
  /** Inside the container only: whoever reaches it may change everything. */
  admin: { listen: 'localhost:2019', config: { persist: false } },
  storage: { module: 'file_system', root: '/data/caddy' },
}

/** How Caddy is to answer the requests that routes claim; everything else is 404. */
export function configurationFor(routes: readonly Route[], settings: IngressSettings): Configuration {
  const { accessLog, health } = settings
  const secure = routes.filter(({ tls }) => tls !== 'off')
  const errors = withoutAnswer(settings)
  const logs = accessLog ? { logs: {} } : {}
  const http = { ...server(ports.http, httpRoutes(routes, settings), errors), ...logs }
  const https = {
    ...server(ports.https, httpsRoutes(secure, settings), errors),
    ...logs,
    tls_connection_policies: [{}],
    // browsers are told the port in here, which is another one where it is not 443
    protocols: ['h1', 'h2', ...(settings.https.port === 443 ? ['h3'] : [])],
  }
  return {
    ...emptyConfiguration,
    logging: loggingOf(settings),
    apps: {
      http: {
        servers: {
          http,
          ...(secure.length === 0 ? {} : { https }),
          ...(health === undefined
            ? {}
            : { health: server(ports.health, healthRoutes(routes), withoutHealth) }),
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

/** As Caddy reads it; a secret where it holds a key. */
export function textOf(configuration: Configuration, { certificates, compose }: IngressSettings): Text {
  const text = JSON.stringify(configuration, (_, value) => (value instanceof Secret ? value.reveal() : value))
  return certificates.length === 0 ? text : compose(text)
}

function httpRoutes(routes: readonly Route[], settings: IngressSettings): readonly CaddyRoute[] {
  const hosts = byHost(routes)
  const isSent = ({ host, routes }: (typeof hosts)[number]) =>
    host !== undefined && !isWild(host) && routes.every(isSecureOnly)
  const sent = hosts.filter(isSent).map(({ host }) => host)
  return [
    ...(sent.length === 0 ? [] : [{ group: 'host', match: [{ host: sent }], handle: [toHttps(settings)] }]),
    ...dispatch(
      hosts.filter(host => !isSent(host)),
      ({ routes }) => plainAnswers(routes, settings),
    ),
    ...proxies(patiencesOf(routes.filter(route => !isSecureOnly(route))), settings),
    notFound,
  ]
}

function httpsRoutes(secure: readonly Route[], settings: IngressSettings): readonly CaddyRoute[] {
  return [
    ...dispatch(byHost(secure), ({ routes }) => answers(routes)),
    ...proxies(patiencesOf(secure), settings),
    notFound,
  ]
}

/**
 * What Caddy does with certificates by itself is said in so many words instead. It counts requests by the handlers of a
 * server's own routes: each goes through one.
 */
function server(port: number, routes: readonly CaddyRoute[], errors: readonly CaddyRoute[]): Configuration {
  return {
    listen: [`:${port}`],
    automatic_https: { disable: true },
    read_header_timeout: '30s',
    metrics: {},
    routes: [{ handle: [subroute(routes)] }],
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
