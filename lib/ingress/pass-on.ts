import type { Handler } from './caddy.ts'
import type { IngressSettings } from './settings.ts'

/** Who takes a request, and how long it may take; name and port may be what Caddy puts in their place. */
export type Upstream = {
  /** The name that those who take requests have behind their gate. */
  readonly alias: string
  readonly port: number | string
  readonly holdMs: number
  readonly timeoutMs?: number
}

/**
 * Hands a request to one of those who bear the alias now, in turn.
 * - The engine is asked for them again after 200 ms, so that a rollout needs no reload (P12).
 * - One that does not answer the door is not the end: the request is tried with the next, or held until there is one.
 * - One that breaks off is not the end of a GET either, unless the time for it is limited: it was sent once then.
 * - A connection is used again within a second only: servers that close idle ones do so later.
 * - `X-Forwarded-For`, `-Host` and `-Proto` are Caddy's own, unless a trusted proxy sent them (P35).
 */
export function passOn(
  upstream: Upstream,
  { trustedProxies }: Pick<IngressSettings, 'trustedProxies'>,
): Handler {
  const { alias, port, holdMs, timeoutMs } = upstream
  return {
    handler: 'reverse_proxy',
    dynamic_upstreams: {
      source: 'a',
      name: alias,
      port: String(port),
      refresh: '200ms',
      resolver: { addresses: ['127.0.0.11:53'] },
    },
    load_balancing: {
      selection_policy: { policy: 'round_robin' },
      ...(holdMs > 0
        ? { try_duration: `${holdMs}ms`, try_interval: '100ms' }
        : { retries: 2, try_interval: '20ms' }),
      ...(timeoutMs === undefined ? {} : { retry_match: [{ method: ['never'] }] }),
    },
    transport: {
      protocol: 'http',
      compression: false,
      dial_timeout: '1s',
      keep_alive: { enabled: true, idle_timeout: '1s' },
      ...(timeoutMs === undefined ? {} : { response_header_timeout: `${timeoutMs}ms` }),
    },
    ...(trustedProxies.length === 0 ? {} : { trusted_proxies: trustedProxies }),
  }
}
