import { brief } from '../../plan/text/brief.ts'
import { type Line, styled } from '../../plan/text/line.ts'
import type {
  CertificateDocument,
  EngineCertificateDocument,
  IngressDocument,
} from '../../reconcile/status/status-document.ts'
import { table } from '../output/table.ts'

/**
 * Returns the lines about sites that are drained or do not answer, and about all certificates, including those of
 * engines.
 */
export function ingressLines(
  sites: readonly IngressDocument[],
  engines: readonly EngineCertificateDocument[] = [],
): readonly Line[] {
  const ofEngines = engines.map(certificate => [
    certificate.role === 'ours' ? 'ours, for the engine' : 'of the authority of the engine',
    certificate.site,
    issuerText(certificate),
    expiryText(certificate),
  ])
  const ofRoutes = sites.flatMap(report =>
    'error' in report
      ? []
      : report.certificates.map(certificate => [
          namesText(certificate.names),
          report.site,
          issuerText(certificate),
          expiryText(certificate),
        ]),
  )
  const rows = [...ofRoutes, ...ofEngines]
  return [
    ...sites.flatMap(report =>
      'isDraining' in report && report.isDraining
        ? [`  drained ${report.site}: load balancers are told to send it no more requests`]
        : [],
    ),
    ...sites.flatMap(report =>
      'error' in report ? [`  ingress: ${brief(report.error.message)} (${report.error.code})`] : [],
    ),
    ...(rows.length === 0 ? [] : table(['certificate', 'site', 'issuer', 'expires'], rows)),
  ]
}

function issuerText(certificate: CertificateDocument): string {
  return 'issuer' in certificate ? certificate.issuer : ''
}

function expiryText(certificate: CertificateDocument): Line {
  switch (certificate.state) {
    case 'missing':
      return styled('red', 'there is none yet')
    case 'unknown':
      return styled('red', "not known: the operator's file cannot be read")
    case 'expired':
      return styled('red', `${dayOf(certificate)}  expired`)
    case 'due':
      return styled('yellow', `${dayOf(certificate)}  ${leftText(certificate)}: it should be renewed by now`)
    case 'valid':
      return `${dayOf(certificate)}  ${leftText(certificate)}`
  }
}

function dayOf({ expires }: { readonly expires: string }): string {
  return expires.slice(0, 10)
}

function leftText({ daysLeft }: { readonly daysLeft: number }): string {
  return `${daysLeft === 0 ? 'less than a day' : daysLeft === 1 ? '1 day' : `${daysLeft} days`} left`
}

/** Shows the first name only, and counts the others. */
function namesText([first = '', ...others]: readonly string[]): string {
  return `${first}${others.length === 0 ? '' : ` and ${others.length} more`}`
}
