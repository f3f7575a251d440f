import type { X509Certificate } from 'node:crypto'
import { covering } from '../../../state/application/ingress/covering.ts'
import type { Route } from '../../../state/application/ingress/route.ts'
import { byText } from '../../../text/order.ts'
import { certificateNames } from '../../repository/ingress/read-ingress-settings.ts'

/** A certificate that routes use, or one that they lack. */
export type CertificateStatus =
  | {
      /** `due`: it should have been renewed by now. */
      readonly state: 'valid' | 'due' | 'expired'
      readonly names: readonly string[]
      /** The common name of the issuer. */
      readonly issuer: string
      readonly expiresMs: number
    }
  /** `unknown`: there is none, or it is one of the operator's whose file cannot be read now. */
  | { readonly state: 'missing' | 'unknown'; readonly names: readonly string[] }

export type Certificates = {
  /** The operator's certificates; undefined for one whose file cannot be read. */
  readonly own: readonly (X509Certificate | undefined)[]
  /** The certificates that the ingress obtained from an authority or from itself. */
  readonly obtained: readonly { readonly isInternal: boolean; readonly certificate: X509Certificate }[]
}

/** Returns the certificates that the routes need, each once, sorted by name. */
export function certificateStatus(
  routes: readonly Route[],
  certificates: Certificates,
  nowMs: number,
): readonly CertificateStatus[] {
  const internal = hostsOf(routes, 'internal')
  const others = [...hostsOf(routes, 'auto')].filter(host => !internal.has(host))
  const { own, obtained } = certificates
  const [ofItself, ofAuthority] = [obtainedBy(obtained, true), obtainedBy(obtained, false)]
  const ofOperator = covering(
    own.flatMap(certificate =>
      certificate === undefined ? [] : [{ certificate, names: certificateNames(certificate) }],
    ),
  )
  const otherwise = own.includes(undefined) ? ('unknown' as const) : ('missing' as const)
  const found = [
    ...[...internal].map(host => ({ host, certificate: ofItself.get(host), otherwise: 'missing' as const })),
    ...others.map(host => ({
      host,
      certificate: ofOperator(host)?.certificate ?? ofAuthority.get(host),
      otherwise,
    })),
  ]
  const missing = found.flatMap(({ host, certificate, otherwise }): CertificateStatus[] =>
    certificate === undefined ? [{ state: otherwise, names: [host] }] : [],
  )
  const there = new Set(found.flatMap(({ certificate }) => certificate ?? []))
  return [...[...there].map(certificate => statusOfCertificate(certificate, nowMs)), ...missing].sort(
    byText(({ names }) => names.join()),
  )
}

const dayMs = 86_400_000
/** Certificates are usually renewed earlier: authorities are asked when a third of the time is left. */
const dueMs = 14 * dayMs
const dueShare = 0.25

/** Returns the status of an existing certificate. */
export function statusOfCertificate(certificate: X509Certificate, nowMs: number): CertificateStatus {
  const [fromMs, expiresMs] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  const leftMs = expiresMs - nowMs
  const isDue = leftMs < Math.min(dueMs, (expiresMs - fromMs) * dueShare)
  return {
    state: leftMs <= 0 ? 'expired' : isDue ? 'due' : 'valid',
    names: certificateNames(certificate),
    issuer: issuerOf(certificate),
    expiresMs,
  }
}

function issuerOf({ issuer }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(issuer)?.[1] ?? issuer.replaceAll('\n', ', ')
}

function hostsOf(routes: readonly Route[], tls: Route['tls']): ReadonlySet<string> {
  return new Set(routes.flatMap(route => (route.tls === tls && route.host ? [route.host] : [])))
}

/** Returns for each name the one that lasts longest, because another authority may have been asked before. */
function obtainedBy(
  obtained: Certificates['obtained'],
  isOwnAuthority: boolean,
): ReadonlyMap<string, X509Certificate> {
  const byName = new Map<string, X509Certificate>()
  const longestFirst = obtained
    .filter(({ isInternal }) => isInternal === isOwnAuthority)
    .map(({ certificate }) => ({ certificate, expiresMs: certificate.validToDate.getTime() }))
    .sort((one, other) => other.expiresMs - one.expiresMs)
  for (const { certificate } of longestFirst)
    for (const name of certificateNames(certificate)) if (!byName.has(name)) byName.set(name, certificate)
  return byName
}
