import { brief } from '../../../plan/text/brief.ts'
import { sitesInWords, toldOnce } from '../../../plan/text/by-site.ts'
import { type Line, styled } from '../../../plan/text/line.ts'
import type {
  CertificateDocument,
  EngineCertificateDocument,
  IngressDocument,
} from '../../../reconcile/status/status-document.ts'
import { table } from '../../output/table.ts'
import { alikeTroubles, whereLine } from './trouble-text.ts'

/**
 * Returns the lines about sites that are drained or do not answer, and about all certificates, including those of
 * engines. `isSummary`: what reads the same on several sites is told once.
 */
export function ingressLines(
  sites: readonly IngressDocument[],
  engines: readonly EngineCertificateDocument[] = [],
  isSummary = false,
): readonly Line[] {
  const told = <One extends { readonly site: string }, Text>(
    all: readonly One[],
    textOf: (one: One) => Text,
  ): readonly Text[] => (isSummary ? toldOnce(all, textOf, sitesInWords) : all.map(textOf))
  const ofRoutes = sites.flatMap(report =>
    'certificates' in report
      ? report.certificates.map(certificate => ({
          site: report.site,
          of: namesText(certificate.names),
          certificate,
        }))
      : [],
  )
  const ofEngines = engines.map(certificate => ({
    site: certificate.site,
    of: certificate.role === 'ours' ? 'ours, for the engine' : 'of the authority of the engine',
    certificate,
  }))
  const rows = told([...ofRoutes, ...ofEngines], ({ site, of, certificate }) => [
    of,
    site,
    issuerText(certificate),
    expiryText(certificate),
  ])
  const drained = sites.filter(report => 'isDraining' in report && report.isDraining)
  const failed = sites.flatMap(({ site, error }) => (error === undefined ? [] : [{ ...error, site }]))
  return [
    ...told(
      drained,
      ({ site }) => `  drained ${site}: load balancers are told to send no more requests there`,
    ),
    ...alikeTroubles(failed, isSummary).flatMap(alike => [
      `  ingress: ${brief(alike[0].message)} (${alike[0].code})`,
      ...whereLine(alike),
    ]),
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
