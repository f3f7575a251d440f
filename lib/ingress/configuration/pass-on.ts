import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import { byText } from '../../text/order.ts'
import type { CaddyRoute, Dialect, Handler } from './dialect.ts'
import { asItCame, fromOurselves, tryLimits, unheld } from './hand-back.ts'
import type { Patience } from './patience.ts'

/** The instances that take a request, by their alias on the gate; or placeholders that Caddy replaces. */
export type Upstream = { readonly alias: string; readonly port: number | string }

/**
 * Marks for whom a request is. One of the `proxies` after all routes passes it on. A proxy for each of a thousand
 * routes would cost Caddy more time than everything else.
 */
export function markUpstream({ alias, port }: Upstream, patience: Patience): Handler {
  return { handler: 'vars', alias, port: String(port), patience: nameOf(patience) }
}

/** Returns the handlers that pass requests on: for each set of time limits one, and one for requests handed back. */
export function proxies(
  patiences: readonly Patience[],
  settings: Trust,
  dialect: Dialect,
): readonly CaddyRoute[] {
  const distinct = new Map(patiences.map(patience => [nameOf(patience), patience]))
  const upstream = { alias: '{http.vars.alias}', port: '{http.vars.port}' }
  return [...distinct].sort(byText(([name]) => name)).flatMap(([name, patience]) => {
    const match = { vars: { patience: [name] } }
    const limits = tryLimits(patience)
    const proxy = passOn(upstream, patience, settings, dialect)
    return [
      { match: [{ ...match, ...fromOurselves }], handle: [limits, { ...proxy, ...asItCame }] },
      { match: [match], handle: [limits, proxy] },
    ]
  })
}

function nameOf({ holdMs, timeoutMs }: Patience): string {
  return timeoutMs === undefined ? `${holdMs}` : `${holdMs} ${timeoutMs}`
}

/** No instance was chosen for the request yet: its address would have a colon. */
const untaken = {
  not: [{ vars_regexp: { '{http.reverse_proxy.upstream.address}': { pattern: ':' } } }],
}

type Trust = Pick<IngressSettings, 'trustedProxies'>

/**
 * Passes a request on to any of the instances that have the alias now.
 * - The engine is asked again after 200 ms, so that a rollout needs no reload (P12).
 * - If an instance does not accept the connection, the request is tried with the next one, or held until there is one.
 *   A newer Caddy does so by itself. An older one would only hold a GET, and answer all else at once.
 * - If an instance breaks off, a GET is tried with the next one, unless the route has a time limit: then it is sent
 *   once.
 * - A connection is used again within one second only, because servers that close idle connections wait longer.
 * - If Caddy can, a change of routes leaves open what is no longer a request, such as a WebSocket (P12).
 * - `X-Forwarded-For`, `-Host` and `-Proto` are set by Caddy, unless a trusted proxy sent them (P35).
 */
export function passOn(
  { alias, port }: Upstream,
  { holdMs, timeoutMs }: Patience,
  { trustedProxies }: Trust,
  dialect: Dialect,
): Handler {
  return {
    handler: 'reverse_proxy',
    dynamic_upstreams: {
      source: 'a',
      name: alias,
      port: String(port),
      refresh: '200ms',
      resolver: { addresses: ['127.0.0.11:53'] },
      ...(dialect === 'newer' ? { versions: { ipv4: true, ipv6: false } } : {}),
    },
    load_balancing: {
      selection_policy: { policy: 'random' },
      ...(holdMs > 0
        ? { try_duration: `${holdMs}ms`, try_interval: '100ms' }
        : { retries: unheld.retries, try_interval: `${unheld.intervalMs}ms` }),
      retry_match: [untaken, ...(timeoutMs === undefined ? [{ method: ['GET'] }] : [])],
    },
    transport: {
      protocol: 'http',
      compression: false,
      dial_timeout: '1s',
      keep_alive: { enabled: true, idle_timeout: '1s', max_idle_conns_per_host: 256 },
      ...(timeoutMs === undefined ? {} : { response_header_timeout: `${timeoutMs}ms` }),
    },
    ...(dialect === 'newer' ? { stream_close_delay: '24h' } : {}),
    ...(trustedProxies.length === 0 ? {} : { trusted_proxies: trustedProxies }),
  }
}
