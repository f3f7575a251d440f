import type { X509Certificate } from 'node:crypto'
import { isCovered } from '../ingress/settings.ts'
import type { Route } from '../state/route.ts'
import { namesOf } from './ingress.ts'

/** A certificate that routes are answered with, or one that they lack. */
export type CertificateStatus =
  | {
      /** `due`: it should have been renewed by now. */
      readonly state: 'valid' | 'due' | 'expired'
      readonly names: readonly string[]
      /** The common name of who signed it. */
      readonly issuer: string
      readonly expiresMs: number
    }
  /** `unknown`: there is none, unless it is one of the operator's whose file cannot be read now. */
  | { readonly state: 'missing' | 'unknown'; readonly names: readonly string[] }

export type Certificates = {
  /** The operator's; undefined where its file cannot be read. */
  readonly own: readonly (X509Certificate | undefined)[]
  /** What the ingress has from an authority, and of its own. */
  readonly obtained: readonly { readonly isInternal: boolean; readonly certificate: X509Certificate }[]
}

/** Which certificates the routes need, each once, sorted by name; what no route needs is left out. */
export function certificateStatus(
  routes: readonly Route[],
  certificates: Certificates,
  nowMs: number,
): readonly CertificateStatus[] {
  const internal = hostsOf(routes, 'internal')
  const others = hostsOf(routes, 'auto').filter(host => !internal.includes(host))
  const found = [
    ...internal.map(host => ({
      host,
      certificate: obtainedFor(host, true, certificates),
      otherwise: 'missing' as const,
    })),
    ...others.map(host => ({
      host,
      certificate: ownFor(host, certificates) ?? obtainedFor(host, false, certificates),
      otherwise: certificates.own.includes(undefined) ? ('unknown' as const) : ('missing' as const),
    })),
  ]
  const missing = found.flatMap(({ host, certificate, otherwise }): CertificateStatus[] =>
    certificate === undefined ? [{ state: otherwise, names: [host] }] : [],
  )
  const there = new Set(found.flatMap(({ certificate }) => certificate ?? []))
  return [...[...there].map(certificate => statusOf(certificate, nowMs)), ...missing].sort((one, other) =>
    one.names.join() < other.names.join() ? -1 : 1,
  )
}

const dayMs = 86_400_000
/** Whoever renews certificates does so before: authorities are asked when a third of the time is left. */
const dueMs = 14 * dayMs
const dueShare = 0.25

/** What is to be told of a certificate that is there. */
export function statusOf(certificate: X509Certificate, nowMs: number): CertificateStatus {
  const [fromMs, expiresMs] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  const leftMs = expiresMs - nowMs
  const isDue = leftMs < Math.min(dueMs, (expiresMs - fromMs) * dueShare)
  return {
    state: leftMs <= 0 ? 'expired' : isDue ? 'due' : 'valid',
    names: namesOf(certificate),
    issuer: issuerOf(certificate),
    expiresMs,
  }
}

function issuerOf({ issuer }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ')
}

function hostsOf(routes: readonly Route[], tls: Route['tls']): readonly string[] {
  return [...new Set(routes.flatMap(route => (route.tls === tls && route.host ? [route.host] : [])))]
}

function ownFor(host: string, { own }: Certificates): X509Certificate | undefined {
  return own.find(certificate => certificate && isCovered(host, [{ names: namesOf(certificate) }]))
}

/** The one that lasts longest: another authority may have been asked before. */
function obtainedFor(
  host: string,
  internal: boolean,
  { obtained }: Certificates,
): X509Certificate | undefined {
  const [longest] = obtained
    .filter(({ isInternal, certificate }) => isInternal === internal && namesOf(certificate).includes(host))
    .map(({ certificate }) => certificate)
    .sort((one, other) => other.validToDate.getTime() - one.validToDate.getTime())
  return longest
}
