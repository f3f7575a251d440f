import { isWild } from '../../state/application/ingress/covering.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import { drainingFile } from '../container/files.ts'
import { type CaddyRoute, type Dialect, notFound, says, subroute } from './dialect.ts'
import { byHost } from './hosts.ts'
import { passOn } from './pass-on.ts'

/**
 * Returns the routes for load balancers: `/healthz` with a users' host in `Host`, or `/healthz/HOST`. They answer 200
 * while an instance takes requests of that host or it only redirects, 503 while none does, the site is drained or the
 * ingress is about to stop, and 404 for a host without routes.
 */
export function healthRoutes(routes: readonly Route[], dialect: Dialect): readonly CaddyRoute[] {
  return [
    {
      match: [{ file: { root: drainingFile.directory, try_files: [drainingFile.name] } }],
      handle: [says(503, 'draining')],
    },
    {
      match: [{ vars: { '{http.shutting_down}': ['true'] } }],
      handle: [says(503, 'draining')],
    },
    {
      match: [{ path_regexp: { name: 'asked', pattern: '^/healthz/([^/]+)$' } }],
      handle: [{ handler: 'vars', host: '{http.regexp.asked.1}' }, ask(routes, dialect)],
    },
    {
      match: [{ path: ['/healthz'] }],
      handle: [{ handler: 'vars', host: '{http.request.host}' }, ask(routes, dialect)],
    },
    notFound,
  ]
}

/** An instance that is too busy to answer in time counts as available. */
export const withoutHealth: readonly CaddyRoute[] = [
  { match: [{ vars: { '{http.error.status_code}': ['504'] } }], handle: [says(200, 'ok')] },
  { handle: [says(503, 'no instance takes requests')] },
]

/** Any answer proves that an instance takes requests, so the cheapest request is sent. */
function ask(routes: readonly Route[], dialect: Dialect) {
  const upstream = { alias: '{asked.alias}', port: '{asked.port}' }
  return subroute([
    { handle: [whoAnswers(routes)] },
    { match: [{ vars: { '{asked.alias}': [''] } }], handle: [says(404, 'no route has this host')] },
    { match: [{ vars: { '{asked.alias}': [nobody] } }], handle: [says(200, 'ok')] },
    {
      handle: [
        { handler: 'rewrite', method: 'HEAD', uri: '/healthz' },
        {
          handler: 'headers',
          request: { set: { Host: ['{http.vars.host}'], 'User-Agent': ['tallyman-ingress'] } },
        },
        {
          ...passOn(upstream, { holdMs: 0, timeoutMs: 500 }, { trustedProxies: [] }, dialect),
          handle_response: [{ routes: [{ handle: [says(200, 'ok')] }] }],
        },
      ],
    },
  ])
}

/** Stands for an alias where a host has only redirects, which need no instance. */
const nobody = '*'

/** Returns, by host, the service that has the whole of it, or the largest part. */
function whoAnswers(routes: readonly Route[]) {
  const hosts = byHost(routes).map(({ host, routes }) => {
    const [widest] = routes
      .filter(({ redirect }) => redirect === undefined)
      .toSorted((one, other) => one.path.length - other.path.length)
    return { host, outputs: widest === undefined ? [nobody, ''] : [widest.alias, String(widest.port)] }
  })
  return {
    handler: 'map',
    source: '{http.vars.host}',
    destinations: ['{asked.alias}', '{asked.port}'],
    mappings: hosts.flatMap(({ host, outputs }) =>
      host === undefined ? [] : [{ ...inputOf(host), outputs }],
    ),
    defaults: hosts.find(({ host }) => host === undefined)?.outputs ?? ['', ''],
  }
}

function inputOf(host: string): Readonly<Record<string, string>> {
  if (!isWild(host)) return { input: host }
  return { input_regexp: `^[^.]+${host.slice(1).replaceAll('.', String.raw`\.`)}$` }
}
