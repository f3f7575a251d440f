import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import { ports } from '../ports.ts'
import { type CaddyRoute, type Dialect, type Handler, subroute } from './dialect.ts'
import type { Patience } from './patience.ts'

/** Where a server of the ingress hands requests back to, and how. */
export type Back = {
  readonly server: 'http' | 'https'
  readonly dialect: Dialect
  /** The answer if none of the connections is read. */
  readonly otherwise: Handler
}

type Trust = Pick<IngressSettings, 'trustedProxies'>

/**
 * Hands a request that waits for an instance to the configuration that was loaded meanwhile (P12). Caddy ends the
 * configuration before, and whatever waits there is answered at once that nobody takes it, however long it might have
 * waited. The new one listens at the same port, so the request is sent there once more, from within.
 * - That a proxy gave up before its time is what tells it.
 * - No instance has the request if there was none or none answered the door; only a GET is sent again that one may have.
 * - It goes round a few times at most: each time is one more load while it waits.
 * - Caddy does not let go of the port at once. A connection to the configuration that ends is closed unread, and another
 *   one is made.
 */
export function handBack(at: Back, { trustedProxies }: Trust): readonly CaddyRoute[] {
  const { server, dialect } = at
  const match = { expression: wasCutShort }
  const back = {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `127.0.0.1:${ports[server]}` }],
    transport: {
      protocol: 'http',
      compression: false,
      keep_alive: { enabled: false },
      ...(dialect === 'newer' ? { expect_continue_timeout: '60s' } : {}),
      ...(server === 'https' ? { versions: ['1.1'], tls: ourselves } : {}),
    },
  }
  // Where a proxy speaks TLS, a newer Caddy puts its own idea of the host there.
  const again = {
    Host: ['{http.request.hostport}'],
    ...(dialect === 'newer' ? bodyLast : {}),
    [round]: [`{http.request.header.${round}}+`],
  }
  return [
    {
      match: [{ ...match, ...fromOurselves }],
      handle: [
        tryingFor(mostConnections, { ...back, headers: { request: { set: { ...sender, ...again } } } }, at),
      ],
    },
    {
      match: [match],
      handle: [
        tryingFor(
          mostConnections,
          {
            ...back,
            headers: { request: { set: again } },
            ...(trustedProxies.length === 0 ? {} : { trusted_proxies: trustedProxies }),
          },
          at,
        ),
      ],
    },
  ]
}

/** It is this very process, and shows the certificate of the host that was asked for. */
const ourselves = { insecure_skip_verify: true, server_name: '{http.request.tls.server_name}' }

const mostConnections = 8

/**
 * A proxy of a configuration that has ended tries nothing twice. This does, wherever a proxy got no answer. With an
 * older Caddy the body of a request is lost with the first connection, so it does so for requests without one.
 */
function tryingFor(times: number, proxy: Handler, at: Back): Handler {
  const { dialect, otherwise } = at
  if (times === 0) return otherwise
  const next = { handle: [tryingFor(times - 1, proxy, at)] }
  const routes =
    dialect === 'newer'
      ? [next]
      : [{ match: [{ method: ['GET', 'HEAD'] }], ...next }, { handle: [otherwise] }]
  return { ...subroute([{ handle: [proxy] }]), errors: { routes } }
}

/** The body is sent once somebody reads the request, so that it is still there for the next connection. */
const bodyLast = { Expect: ['100-continue'] }

/** A header that has a `+` for each time a request was handed back. */
const round = 'Tallyman-Round'
const mostRounds = 8

/** What tells that no instance has the request, or that it may be sent twice. */
const mayGoAgain = [
  '{http.error.message} == "no upstreams available"',
  '{http.error.message}.startsWith("dial ")',
  '({http.request.method} == "GET" && {http.vars.repeats} == "yes")',
]
const wasCutShort = [
  '{http.error.status_code} in [502, 503]',
  'double({http.reverse_proxy.duration_ms}) < double({http.vars.tries_ms})',
  `size({http.request.header.${round}}) < ${mostRounds}`,
  `(${mayGoAgain.join(' || ')})`,
].join(' && ')

/** How often a proxy that holds nothing tries again, and after how long. */
export const unheld = { retries: 2, intervalMs: 20 } as const

/** For how long a proxy tries before it gives up by itself, and whether it sends a GET again. */
export function tryLimits({ holdMs, timeoutMs }: Patience): Handler {
  const leastMs = holdMs > 0 ? holdMs : unheld.retries * unheld.intervalMs
  return { handler: 'vars', tries_ms: leastMs, repeats: timeoutMs === undefined ? 'yes' : 'no' }
}

/** Nobody but Caddy itself asks from within its container. */
export const fromOurselves = { remote_ip: { ranges: ['127.0.0.1/32'] } }

/** What was said of the sender when the request came in first. */
const sender = Object.fromEntries(
  ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'].map(name => [
    name,
    [`{http.request.header.${name}}`],
  ]),
)

/** What an instance gets of a request that was handed back: nothing else than of any other. */
export const asItCame = { headers: { request: { set: sender, delete: [round, 'Expect'] } } }
