import type { Listeners } from '../../listeners.ts'
import type { Secret } from '../../secret/secret.ts'
import type { Secrets } from '../../secret/secrets.ts'
import type { Image } from '../container/container.ts'

/** The operator's settings of the ingress, with the content of the files that they name. */
export type IngressSettings = Listeners & {
  /** Set if the routes go to a Caddy that the operator runs. Tallyman then creates none. */
  readonly isExternal?: true
  readonly image: Image
  /** The range from which its network takes its addresses, as gates do: `10.201.0.0/16`. */
  readonly pool: string
  /** The authority that signs certificates; without a directory it is Let's Encrypt. */
  readonly acme: {
    readonly email?: string
    readonly directory?: string
    /** PEM. The only root certificate that is trusted when the directory is asked. */
    readonly root?: string
  }
  /** The operator's certificates. If two name a host, the first one counts. */
  readonly certificates: readonly Certificate[]
  /** Addresses and subnets whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly accessLog: boolean
  /** The HTML page for requests that no instance takes; absent: a plain page. */
  readonly unavailablePage?: string
  /** Makes the configuration a secret if it contains a key. */
  readonly compose: Secrets['compose']
}

export type Certificate = {
  /** The chain as PEM, with the certificate of the host first. */
  readonly chain: string
  readonly key: Secret
  /** The hosts of the certificate, in lower case. The star of `*.example.com` stands for one label. */
  readonly names: readonly string[]
}
