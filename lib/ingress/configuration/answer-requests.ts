import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import { type Route, staticPath } from '../../state/application/ingress/route.ts'
import { withoutEnd } from '../../text/without-end.ts'
import { type CaddyRoute, type Handler, literally } from './dialect.ts'
import { markUpstream } from './pass-on.ts'
import type { Patience } from './patience.ts'

/** Returns how requests to one host are answered, the longest path first. */
export function answers(routes: readonly Route[]): readonly CaddyRoute[] {
  return closestFirst(routes.flatMap(claimsOf))
}

/** Returns the same for plain HTTP. Requests to routes that are for HTTPS only are redirected there. */
export function plainAnswers(routes: readonly Route[], settings: IngressSettings): readonly CaddyRoute[] {
  return closestFirst(
    routes.flatMap(route =>
      isSecureOnly(route)
        ? [{ path: route.path, at: allOf(route.path), handle: [toHttps(settings)] }]
        : claimsOf(route),
    ),
  )
}

/** Returns for which time limits these answers need `proxies`. */
export function patiencesOf(routes: readonly Route[]): readonly Patience[] {
  return routes
    .filter(({ redirect }) => redirect === undefined)
    .flatMap(({ holdMs, timeoutMs, statics }) => [
      { holdMs, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      ...(statics === undefined ? [] : [{ holdMs }]),
    ])
}

/** Whether HTTP does nothing but send users to HTTPS. */
export function isSecureOnly({ tls, alsoPlain }: Route): boolean {
  return tls !== 'off' && alsoPlain !== true
}

/** Redirects to the same address over HTTPS, on the port that users have to type. */
export function toHttps({ https }: Pick<IngressSettings, 'https'>): Handler {
  return sendTo(`https://{http.request.host}${https.port === 443 ? '' : `:${https.port}`}`)
}

type Claim = {
  readonly path: string
  /** Caddy's patterns for the path; none: every path. */
  readonly at: readonly string[]
  readonly handle: readonly Handler[]
}

function closestFirst(claims: readonly Claim[]): readonly CaddyRoute[] {
  return claims
    .toSorted((one, other) => other.path.length - one.path.length)
    .map(({ at, handle }) => ({
      group: 'path',
      ...(at.length === 0 ? {} : { match: [{ path: at }] }),
      handle,
    }))
}

/** Requests below `/static/` never reach the application itself (P31). */
function claimsOf(route: Route): readonly Claim[] {
  const { path, statics, redirect, holdMs } = route
  const handle = [...headersOf(route), ...limitOf(route), ...stripOf(route), targetOf(route)]
  const own: Claim = { path, at: allOf(path), handle }
  if (statics === undefined || redirect !== undefined) return [own]
  const files = staticPath(path)
  const { alias, port } = statics
  return [
    {
      path: files,
      at: [`${files}/*`],
      handle: [...headersOf(route), ...without(below(path)), markUpstream({ alias, port }, { holdMs })],
    },
    own,
  ]
}

function targetOf({ redirect, alias, port, holdMs, timeoutMs }: Route): Handler {
  if (redirect !== undefined) return sendTo(literally(withoutEnd(redirect, '/')))
  return markUpstream({ alias, port }, { holdMs, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
}

/** Redirects to the address, followed by path and query of the request. */
function sendTo(address: string): Handler {
  return {
    handler: 'static_response',
    status_code: 308,
    headers: { Location: [`${address}{http.request.uri}`] },
  }
}

/** Sets or removes headers: of the request at once, and of the answer just before it is sent. */
function headersOf({ headers }: Route): readonly Handler[] {
  if (headers === undefined) return []
  const { request, response } = headers
  return [
    {
      handler: 'headers',
      ...(request === undefined ? {} : { request: changesOf(request) }),
      ...(response === undefined ? {} : { response: { ...changesOf(response), deferred: true } }),
    },
  ]
}

function changesOf(headers: Readonly<Record<string, string | null>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(headers)
  const set = entries.flatMap(([name, value]) =>
    value === null ? [] : [[name, [literally(value)]] as const],
  )
  const removed = entries.flatMap(([name, value]) => (value === null ? [name] : []))
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(removed.length === 0 ? {} : { delete: removed }),
  }
}

function limitOf({ maxBodyBytes }: Route): readonly Handler[] {
  return maxBodyBytes === undefined ? [] : [{ handler: 'request_body', max_size: maxBodyBytes }]
}

function stripOf({ path, strip }: Route): readonly Handler[] {
  return strip === true ? without(below(path)) : []
}

function without(prefix: string): readonly Handler[] {
  return prefix === '' ? [] : [{ handler: 'rewrite', strip_path_prefix: prefix }]
}

function allOf(path: string): readonly string[] {
  return path === '/' ? [] : [path, `${path}/*`]
}

/** Returns the prefix of all paths below a path. */
function below(path: string): string {
  return path === '/' ? '' : path
}
