import { Failure } from '../../errors.ts'
import { isoText } from '../../text/time.ts'
import type { EnvironmentStatus } from './environment-status.ts'
import type { CertificateStatus } from './ingress/certificates.ts'
import type { IngressStatus } from './ingress/ingress-status.ts'
import type { SiteCertificate } from './ingress/site-certificates.ts'
import type { SiteDocument } from './site/site-document.ts'

/** One environment as `status` prints it in JSON, and as the daemon tells it. Times are in ISO 8601. */
export type StatusDocument = EnvironmentStatus & {
  /** The reports of its ingresses. */
  readonly ingress: readonly IngressDocument[]
  /** The certificates for the connections to its engines; absent: none is reached over TLS. */
  readonly engines?: readonly EngineCertificateDocument[]
  /** The sites that it runs on; absent without a daemon. */
  readonly sites?: readonly SiteDocument[]
}

/** The report of the ingress of one site, or why there is none; both if it does not tell its metrics. */
export type IngressDocument =
  | {
      readonly site: string
      readonly isDraining: boolean
      readonly certificates: readonly CertificateDocument[]
      readonly error?: IngressError
    }
  | { readonly site: string; readonly error: IngressError }

type IngressError = { readonly code: string; readonly message: string; readonly hint: string }

export type CertificateDocument =
  | {
      readonly names: readonly string[]
      readonly state: 'valid' | 'due' | 'expired'
      readonly issuer: string
      readonly expires: string
      /** Whole days. */
      readonly daysLeft: number
    }
  | { readonly names: readonly string[]; readonly state: 'missing' | 'unknown' }

export type EngineCertificateDocument = Pick<SiteCertificate, 'site' | 'role'> & CertificateDocument

/** The ingresses of one environment, as the daemon tells them apart from the rest. */
export type IngressesDocument = { readonly environment: string; readonly sites: readonly IngressDocument[] }

/** Returns the report of an ingress in the form that `status` shows. */
export function ingressDocument(status: IngressStatus, nowMs: number): IngressDocument {
  const { site } = status
  if ('failure' in status) return { site, error: errorDocument(status.failure) }
  const { isDraining, certificates, figures } = status
  return {
    site,
    isDraining,
    certificates: certificates.map(one => certificateDocument(one, nowMs)),
    ...(figures instanceof Failure ? { error: errorDocument(figures) } : {}),
  }
}

function errorDocument({ code, message, hint }: Failure): IngressError {
  return { code, message, hint }
}

/** Returns the certificate for the connection to an engine in the form that `status` shows. */
export function engineCertificateDocument(
  { site, role, certificate }: SiteCertificate,
  nowMs: number,
): EngineCertificateDocument {
  return { site, role, ...certificateDocument(certificate, nowMs) }
}

const dayMs = 86_400_000

function certificateDocument(certificate: CertificateStatus, nowMs: number): CertificateDocument {
  if (!('expiresMs' in certificate)) return { names: certificate.names, state: certificate.state }
  const { names, state, issuer, expiresMs } = certificate
  const expires = isoText(expiresMs)
  return { names, state, issuer, expires, daysLeft: Math.floor((expiresMs - nowMs) / dayMs) }
}
