import type { Problem } from '../errors.ts'
import type { Image } from '../state/container.ts'
import type { Listeners } from '../state/listeners.ts'
import type { Secret } from '../state/secret.ts'
import type { Secrets } from '../state/secrets.ts'

/** What the operator says of the ingress, with the content of the files that are named. */
export type IngressSettings = Listeners & {
  /** A Caddy that the operator runs is given the routes; none of ours is made. */
  readonly isExternal?: true
  readonly image: Image
  /** Where its network takes its addresses from, as gates do: `10.201.0.0/16`. */
  readonly pool: string
  /** Who signs certificates; without a directory it is Let's Encrypt. */
  readonly acme: {
    readonly email?: string
    readonly directory?: string
    /** PEM; whom to trust where the directory is asked, and nobody else. */
    readonly root?: string
  }
  /** The operator's own; of two that name a host the first one counts. */
  readonly certificates: readonly Certificate[]
  /** Addresses and subnets whose `X-Forwarded-…` is believed. */
  readonly trustedProxies: readonly string[]
  readonly accessLog: boolean
  /** HTML for requests that nobody takes; absent: a plain page of ours. */
  readonly unavailablePage?: string
  /** Makes the configuration a secret where it holds a key. */
  readonly compose: Secrets['compose']
}

/** What the operator says, or what is wrong with a file that is named: then nobody knows what the ingress is to be. */
export type ReadSettings =
  | { readonly state: 'usable'; readonly settings: IngressSettings }
  | { readonly state: 'unusable'; readonly problem: Problem }

export type Certificate = {
  /** PEM, the host's own first. */
  readonly chain: string
  readonly key: Secret
  /** The hosts it is for, in lower case; `*.example.com` stands for one label. */
  readonly names: readonly string[]
}

/** Whether a host, or all of a `*.` one, is among the names of a certificate. */
export function isCovered(host: string, certificates: readonly Pick<Certificate, 'names'>[]): boolean {
  const wild = `*${host.slice(host.indexOf('.'))}`
  return certificates.some(
    ({ names }) => names.includes(host) || (host.includes('.') && names.includes(wild)),
  )
}
