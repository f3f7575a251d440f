import type { CaddyRoute, Dialect, Handler } from './caddy.ts'
import { asItCame, fromOurselves, limitsOf, unheld } from './hand-back.ts'
import type { IngressSettings } from './settings.ts'

/** Who takes a request, by the name that those who do have behind their gate; or what Caddy puts in its place. */
export type Upstream = { readonly alias: string; readonly port: number | string }

/** How long a request may take to find somebody, and then until its answer begins; absent: as long as it takes. */
export type Patience = { readonly holdMs: number; readonly timeoutMs?: number }

/**
 * Says whom the request is for: one of the `proxies` behind all routes hands it on. To make one for each of a thousand
 * routes takes Caddy longer than all the rest.
 */
export function handOver({ alias, port }: Upstream, patience: Patience): Handler {
  return { handler: 'vars', alias, port: String(port), patience: nameOf(patience) }
}

/** What hands requests on, for each patience there is one, and one for requests that were handed back. */
export function proxies(
  patiences: readonly Patience[],
  settings: Trust,
  dialect: Dialect,
): readonly CaddyRoute[] {
  const distinct = new Map(patiences.map(patience => [nameOf(patience), patience]))
  const upstream = { alias: '{http.vars.alias}', port: '{http.vars.port}' }
  return [...distinct]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, patience]) => {
      const match = { vars: { patience: [name] } }
      const limits = limitsOf(patience)
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

type Trust = Pick<IngressSettings, 'trustedProxies'>

/**
 * Hands a request to one of those who bear the alias now, any of them.
 * - The engine is asked for them again after 200 ms, so that a rollout needs no reload (P12).
 * - One that does not answer the door is not the end: the request is tried with the next, or held until there is one.
 * - One that breaks off is not the end of a GET either, unless the time for it is limited: it was sent once then.
 * - A connection is used again within a second only: servers that close idle ones do so later.
 * - A change of routes leaves open what is no request any more, as a WebSocket, where Caddy can (P12).
 * - `X-Forwarded-For`, `-Host` and `-Proto` are Caddy's own, unless a trusted proxy sent them (P35).
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
      ...(timeoutMs === undefined ? {} : { retry_match: [{ method: ['never'] }] }),
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
