import type { Problem } from '../errors.ts'
import type { Certificate, IngressSettings } from '../state/application/ingress/ingress-settings.ts'

/** The operator's settings, or the problem of a file that they name. With a problem, the desired ingress is unknown. */
export type ReadSettings =
  | { readonly state: 'usable'; readonly settings: IngressSettings }
  | { readonly state: 'unusable'; readonly problem: Problem }

/** Whether a certificate names a host, or all hosts that a `*.` stands for. */
export function isCovered(host: string, certificates: readonly Pick<Certificate, 'names'>[]): boolean {
  const wild = `*${host.slice(host.indexOf('.'))}`
  return certificates.some(
    ({ names }) => names.includes(host) || (host.includes('.') && names.includes(wild)),
  )
}
