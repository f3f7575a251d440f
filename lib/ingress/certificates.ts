import type { Route } from '../state/route.ts'
import type { Secret } from '../state/secret.ts'
import { isWild } from './hosts.ts'
import { type IngressSettings, isCovered } from './settings.ts'

/** Where the root of the authority is in the container: Caddy takes the path of a file only. */
export const rootFile = '/etc/caddy/authority.pem'

/** What Caddy is told of certificates, in its own words. */
type Certificates = {
  readonly certificates: {
    readonly automate: readonly string[]
    readonly load_pem: readonly { readonly certificate: string; readonly key: Secret }[]
  }
  readonly automation: { readonly policies: readonly Policy[] }
}

/** Who issues the certificates of these hosts. */
type Policy = {
  readonly subjects: readonly string[]
  readonly issuers: readonly { readonly module: 'acme' | 'internal' }[]
}

/** The certificates for HTTPS: the operator's own, and for hosts that none of them names those that Caddy gets. */
export function certificatesFor(
  routes: readonly Route[],
  { certificates, acme }: IngressSettings,
): Certificates {
  const internal = hostsOf(routes, 'internal')
  const auto = hostsOf(routes, 'auto').filter(host => !isCovered(host, certificates))
  const { email, directory, root } = acme
  const authority = {
    module: 'acme' as const,
    ...(directory === undefined ? {} : { ca: directory }),
    ...(email === undefined ? {} : { email }),
    ...(root === undefined ? {} : { trusted_roots_pem_files: [rootFile] }),
  }
  return {
    certificates: {
      automate: [...auto, ...internal].sort(),
      load_pem: certificates.map(({ chain, key }) => ({ certificate: chain, key })),
    },
    automation: {
      policies: [...policies(auto, authority), ...policies(internal, { module: 'internal' })].sort(
        (one, other) => Number(one.subjects.some(isWild)) - Number(other.subjects.some(isWild)),
      ),
    },
  }
}

/** Caddy takes the first policy that fits a host, and one for `*.` fits every host below it: those come last. */
function policies(hosts: readonly string[], issuer: Policy['issuers'][number]): readonly Policy[] {
  const named = hosts.filter(host => !isWild(host))
  const wild = hosts.filter(isWild)
  return [named, wild].filter(({ length }) => length > 0).map(subjects => ({ subjects, issuers: [issuer] }))
}

/**
 * The hosts that have certificates of a kind. Routes that were loaded before may contradict each other: then who has
 * the larger part of a host decides.
 */
function hostsOf(routes: readonly Route[], tls: Route['tls']): readonly string[] {
  const byHost = Map.groupBy(
    routes.filter(route => route.tls !== 'off'),
    ({ host }) => host,
  )
  return [...byHost]
    .flatMap(([host, rivals]) => {
      const [widest] = rivals.toSorted((one, other) => one.path.length - other.path.length)
      return host !== undefined && widest?.tls === tls ? [host] : []
    })
    .sort()
}
