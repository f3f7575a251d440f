import { brief } from '../plan/brief.ts'
import type { Painter } from '../plan/paint.ts'
import { printable } from '../printable.ts'
import { table } from './table.ts'

/** What the daemon says of the ingresses of one environment. */
export type IngressDocument = { readonly environment: string; readonly sites: readonly Site[] }

type Site = {
  readonly site: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly isDraining?: boolean
  readonly certificates?: readonly Certificate[]
}

type Certificate = {
  readonly state: 'valid' | 'due' | 'expired' | 'missing' | 'unknown'
  readonly names: readonly string[]
  readonly issuer?: string
  readonly expires?: string
  readonly daysLeft?: number
}

/** Which sites are drained or say nothing, and the certificates of all of them. */
export function ingressLines(sites: readonly Site[], painter: Painter): readonly string[] {
  const rows = sites.flatMap(({ site, certificates = [] }) =>
    certificates.map(certificate => [
      namesText(certificate.names),
      site,
      printable(certificate.issuer ?? ''),
      expiryText(certificate, painter),
    ]),
  )
  return [
    ...sites.flatMap(({ site, isDraining }) =>
      isDraining === true ? [`  drained ${site}: load balancers are told to send nothing more`] : [],
    ),
    ...sites.flatMap(({ error }) =>
      error === undefined ? [] : [`  ingress: ${brief(error.message)} (${error.code})`],
    ),
    ...(rows.length === 0 ? [] : [table(['certificate', 'site', 'issuer', 'expires'], rows)]),
  ]
}

function expiryText({ state, expires = '', daysLeft = 0 }: Certificate, { red, yellow }: Painter): string {
  const day = expires.slice(0, 10)
  const left = `${daysLeft === 0 ? 'less than a day' : daysLeft === 1 ? '1 day' : `${daysLeft} days`} left`
  switch (state) {
    case 'missing':
      return red('there is none yet')
    case 'unknown':
      return red("not known: the operator's file cannot be read")
    case 'expired':
      return red(`${day}  expired`)
    case 'due':
      return yellow(`${day}  ${left}: it should be renewed by now`)
    case 'valid':
      return `${day}  ${left}`
  }
}

/** The first is enough for a glance. */
function namesText([first = '', ...others]: readonly string[]): string {
  return `${printable(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`
}
