import type { HostPort } from '../state/claim.ts'

/** A port of the host that a running container publishes, and whose that is, in words. */
export type TakenPort = { readonly port: HostPort; readonly holder: string }

/** What a site has besides containers. It is asked for only if something differs. */
export type SiteResources = {
  readonly site: string
  readonly networks: readonly string[]
  readonly volumes: readonly string[]
  /** What containers publish that are not of the environment; absent: nothing. */
  readonly ports?: readonly TakenPort[]
}
