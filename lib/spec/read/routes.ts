import { rivalsAmong } from '../../state/application/claim.ts'
import { claimedBy, gateOf, type Route, type Statics } from '../../state/application/ingress/route.ts'
import type { Backend } from '../../state/application/ingress/traffic.ts'
import type { Parsed } from '../../state/parsed.ts'
import type { Route as Written, Service as WrittenService } from '../application.gen.ts'
import type { BuildContext } from '../build/context.ts'
import { parseBytes } from '../grammar/bytes.ts'
import { parseDomain } from '../grammar/domain.ts'
import { parseDuration } from '../grammar/duration.ts'
import { parseRequestHost } from '../grammar/request-host.ts'
import { parseRequestPath } from '../grammar/request-path.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'

/** The service that routes lead to. */
export type RoutedService = {
  readonly application: string
  readonly service: string
  /** Serves its static files (P31). */
  readonly statics?: Statics
}

/** The port of an application under the contract (P33). */
const palletPort = 8000

/**
 * Returns the routes of a service: those that it lists, and one for each domain of a Pallet service. Undefined if there
 * are none, or if the operator wants no ingress, which is noted.
 */
export function readRoutes(
  written: WrittenService,
  { application, service, statics }: RoutedService,
  { environment, ingress }: BuildContext,
  spot: Spot,
  warn: Spot,
): Backend | undefined {
  const { ingress: listed = [], pallet } = written
  if (ingress === undefined) {
    if (listed.length > 0)
      warn.at('ingress').fault('has no effect: tallyman.yaml says "ingress: off"', 'no-effect')
    return undefined
  }
  const gate = gateOf(environment, application, service, ingress.pool)
  const to = { application, service, alias: gate.alias, holdMs: ingress.holdMs, ...present({ statics }) }
  const routes = [
    ...(pallet === undefined ? [] : palletRoutes(pallet, to, spot.at('pallet', 'domain'))),
    ...listed
      .map((route, index) => readRoute(route, to, pallet !== undefined, spot.at('ingress', index)))
      .filter(isPresent),
  ]
  if (routes.length === 0) return undefined
  if (written.network?.host === true)
    spot
      .at('network', 'host')
      .fault("stands beside routes; on the host's network nobody is told apart, publish its port instead")
  faultRepeated(routes, spot)
  for (const [index, { host, tls = 'off' }] of listed.entries())
    if (host !== undefined && tls === 'auto')
      judgeCertificate(host, ingress, spot.at('ingress', index, 'host'), warn.at('ingress', index, 'host'))
  return { role: 'backend', gate, routes }
}

type To = Pick<Route, 'application' | 'service' | 'alias' | 'holdMs' | 'statics'>

/** Returns one route for each domain of the contract. Inside it is plain HTTP, whatever it is outside (P27, P33). */
function palletRoutes(pallet: NonNullable<WrittenService['pallet']>, to: To, spot: Spot): readonly Route[] {
  const domains = typeof pallet.domain === 'string' ? pallet.domain.split('|') : pallet.domain
  const hosts = domains.filter(domain => parseDomain(domain).ok).map(domain => spot.take(hostOf(domain)))
  return hosts.filter(isPresent).map(host => ({
    ...to,
    host,
    path: '/',
    port: palletPort,
    tls: pallet.protocol === 'https' ? 'auto' : 'off',
  }))
}

/** Returns the host without its port, because the operator decides which port users type. */
function hostOf(domain: string): Parsed<string> {
  return parseRequestHost(domain.replace(/:\d+$/, ''))
}

function readRoute(written: Written, to: To, isPallet: boolean, spot: Spot): Route | undefined {
  const { tls = 'off', redirect, strip, headers } = written
  const host = written.host === undefined ? undefined : spot.at('host').take(parseRequestHost(written.host))
  const path = spot.at('path').take(parseRequestPath(written.path ?? '/'))
  const port = written.port ?? (isPallet ? palletPort : undefined)
  const goesAway = typeof redirect === 'string'
  if (port === undefined && !goesAway) spot.fault('needs a port: the one the service listens on')
  if (goesAway) faultAddress(redirect, spot.at('redirect'))
  if (typeof redirect === 'boolean' && tls === 'off')
    spot.at('redirect').fault('is about HTTPS, and tls is off')
  if (tls !== 'off' && written.host === undefined)
    spot.at('tls').fault('needs a host: a certificate names one')
  const limits = {
    maxBodyBytes:
      written.maxBody === undefined ? undefined : spot.at('maxBody').take(parseBytes(written.maxBody)),
    timeoutMs:
      written.timeout === undefined ? undefined : spot.at('timeout').take(parseDuration(written.timeout)),
  }
  faultHeaders(headers, spot.at('headers'))
  const holdMs = written.hold === undefined ? to.holdMs : spot.at('hold').take(parseDuration(written.hold))
  if (path === undefined || holdMs === undefined || (written.host !== undefined && host === undefined))
    return undefined
  return {
    ...to,
    ...present({ host }),
    path,
    port: port ?? palletPort,
    tls,
    ...(redirect === false ? { alsoPlain: true } : {}),
    ...(goesAway ? { redirect } : {}),
    ...(strip === true ? { strip: true } : {}),
    ...present({ headers: present({ request: headers?.request, response: headers?.response }) }),
    ...present(limits),
    holdMs,
  }
}

function faultAddress(redirect: string, spot: Spot): void {
  const address = URL.parse(redirect)
  if (address === null || !/^https?:$/.test(address.protocol))
    spot.fault(`"${redirect}" is no address; write for example https://www.example.com`)
  else if (address.search + address.hash + address.username !== '')
    spot.fault('has more than a host and a path; path and query of the request are put behind it')
}

/** A host is judged in the form in which the ingress asks for its certificate. */
function judgeCertificate(
  written: string,
  { obtainable }: NonNullable<BuildContext['ingress']>,
  spot: Spot,
  warn: Spot,
): void {
  const host = parseRequestHost(written)
  if (!host.ok) return
  switch (obtainable?.(host.value) ?? 'yes') {
    case 'yes':
      return
    case 'perhaps':
      warn.fault(
        `"${written}" has a star: whether the authority of "acme" signs a certificate for all these hosts is known only when it is asked`,
        'certificate-unobtainable',
      )
      return
    case 'partly':
      warn.fault(
        `"${written}" has a star: certificates of the operator name some of these hosts only, and the TLS handshake of all others fails`,
        'certificate-unobtainable',
      )
      return
    case 'no':
      spot.fault(
        `"${written}" has a star: no public authority signs a certificate for all these hosts for the ingress, and none of the operator names them`,
        'certificate-unobtainable',
      )
  }
}

function faultHeaders(headers: Written['headers'], spot: Spot): void {
  for (const side of ['request', 'response'] as const)
    for (const [name, value] of Object.entries(headers?.[side] ?? {})) {
      const at = spot.at(side, name)
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) at.fault('is no name of a header')
      if (value !== null && /[\r\n\0{}]/.test(value))
        at.fault('has a line break or a brace in it, which headers must not have here')
      if (side === 'request' && forwarded.test(name)) at.fault('is set by the ingress, and by nobody else')
    }
}

/** Headers on which an application behind the ingress relies (P35). */
const forwarded = /^(x-forwarded-(for|host|proto)|forwarded|host|connection|upgrade|transfer-encoding)$/i

function faultRepeated(routes: readonly Route[], spot: Spot): void {
  const claims = routes.flatMap(claimedBy).map(claim => ({ claim }))
  const rivalsOf = rivalsAmong(claims)
  const seen = new Set<string>()
  for (const one of claims) {
    const { text, isSubtree } = one.claim
    if (seen.has(text)) {
      spot.at('ingress').fault(`has ${text} twice`)
      continue
    }
    seen.add(text)
    // Its own static files lie below it.
    const [around] = isSubtree ? [] : [...rivalsOf(one)].filter(({ claim }) => claim.text !== text)
    if (around !== undefined)
      spot.at('ingress').fault(`has ${text}, and everything below ${around.claim.text} is for static files`)
  }
}
