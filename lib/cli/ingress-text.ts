import { brief } from '../plan/text/brief.ts'
import { type Line, styled } from '../plan/text/line.ts'
import { table } from './table.ts'

/** The daemon's report about the ingresses of one environment. */
export type IngressDocument = { readonly environment: string; readonly sites: readonly Site[] }

type Site = {
  readonly site: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly isDraining?: boolean
  readonly certificates?: readonly Certificate[]
}

/** A certificate for the connection to an engine. */
export type EngineCertificate = Certificate & { readonly site: string; readonly role: 'ours' | 'authority' }

type Certificate = {
  readonly state: 'valid' | 'due' | 'expired' | 'missing' | 'unknown'
  readonly names: readonly string[]
  readonly issuer?: string
  readonly expires?: string
  readonly daysLeft?: number
}

/**
 * Returns the lines about sites that are drained or do not answer, and about all certificates, including those of
 * engines.
 */
export function ingressLines(
  sites: readonly Site[],
  engines: readonly EngineCertificate[] = [],
): readonly Line[] {
  const ofEngines = engines.map(certificate => [
    certificate.role === 'ours' ? 'ours, for the engine' : 'of the authority of the engine',
    certificate.site,
    certificate.issuer ?? '',
    expiryText(certificate),
  ])
  const ofRoutes = sites.flatMap(({ site, certificates = [] }) =>
    certificates.map(certificate => [
      namesText(certificate.names),
      site,
      certificate.issuer ?? '',
      expiryText(certificate),
    ]),
  )
  const rows = [...ofRoutes, ...ofEngines]
  return [
    ...sites.flatMap(({ site, isDraining }) =>
      isDraining === true ? [`  drained ${site}: load balancers are told to send it no more requests`] : [],
    ),
    ...sites.flatMap(({ error }) =>
      error === undefined ? [] : [`  ingress: ${brief(error.message)} (${error.code})`],
    ),
    ...(rows.length === 0 ? [] : table(['certificate', 'site', 'issuer', 'expires'], rows)),
  ]
}

function expiryText({ state, expires = '', daysLeft = 0 }: Certificate): Line {
  const day = expires.slice(0, 10)
  const left = `${daysLeft === 0 ? 'less than a day' : daysLeft === 1 ? '1 day' : `${daysLeft} days`} left`
  switch (state) {
    case 'missing':
      return styled('red', 'there is none yet')
    case 'unknown':
      return styled('red', "not known: the operator's file cannot be read")
    case 'expired':
      return styled('red', `${day}  expired`)
    case 'due':
      return styled('yellow', `${day}  ${left}: it should be renewed by now`)
    case 'valid':
      return `${day}  ${left}`
  }
}

/** Shows the first name only, and counts the others. */
function namesText([first = '', ...others]: readonly string[]): string {
  return `${first}${others.length === 0 ? '' : ` and ${others.length} more`}`
}
