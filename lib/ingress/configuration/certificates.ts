import { covering, isWild } from '../../state/application/ingress/covering.ts'
import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import type { Secret } from '../../state/secret/secret.ts'
import { files } from '../container/files.ts'

/** Caddy's settings for certificates, in its own form. */
type Certificates = {
  readonly certificates: {
    readonly automate: readonly string[]
    readonly load_pem: readonly { readonly certificate: string; readonly key: Secret }[]
  }
  readonly automation: { readonly policies: readonly Policy[] }
}

/** The issuer of the certificates of some hosts. */
type Policy = {
  readonly subjects: readonly string[]
  readonly issuers: readonly { readonly module: 'acme' | 'internal' }[]
}

/** Returns the certificates for HTTPS: the operator's own, and for other hosts those that Caddy obtains. */
export function certificatesFor(
  routes: readonly Route[],
  { certificates, acme }: IngressSettings,
): Certificates {
  const internal = hostsOf(routes, 'internal')
  const own = covering(certificates)
  const auto = hostsOf(routes, 'auto').filter(host => own(host) === undefined)
  const { email, directory, root } = acme
  const authority = {
    module: 'acme' as const,
    ...(directory === undefined ? {} : { ca: directory }),
    ...(email === undefined ? {} : { email }),
    ...(root === undefined ? {} : { trusted_roots_pem_files: [files.root] }),
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

/** Caddy takes the first policy that matches a host, and one for `*.` matches every host below it. Those come last. */
function policies(hosts: readonly string[], issuer: Policy['issuers'][number]): readonly Policy[] {
  const named = hosts.filter(host => !isWild(host))
  const wild = hosts.filter(isWild)
  return [named, wild].filter(({ length }) => length > 0).map(subjects => ({ subjects, issuers: [issuer] }))
}

/**
 * Returns the hosts with certificates of a kind. Routes that are already loaded may contradict each other. Then the
 * route with the larger part of a host decides.
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
