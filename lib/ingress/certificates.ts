import type { Route } from '../state/route.ts'
import { type IngressSettings, isCovered } from './settings.ts'

/** Where the root of the authority is in the container: Caddy takes the path of a file only. */
export const rootFile = '/etc/caddy/authority.pem'

/** The certificates for HTTPS: the operator's own, and for hosts that none of them names those that Caddy gets. */
export function certificatesFor(
  routes: readonly Route[],
  { certificates, acme }: IngressSettings,
): Readonly<Record<string, unknown>> {
  const internal = hostsOf(routes, 'internal')
  const auto = hostsOf(routes, 'auto').filter(
    host => !internal.includes(host) && !isCovered(host, certificates),
  )
  const { email, directory, root } = acme
  const authority = {
    module: 'acme',
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
      policies: [
        ...(auto.length === 0 ? [] : [{ subjects: auto, issuers: [authority] }]),
        ...(internal.length === 0 ? [] : [{ subjects: internal, issuers: [{ module: 'internal' }] }]),
      ],
    },
  }
}

function hostsOf(routes: readonly Route[], tls: Route['tls']): readonly string[] {
  const hosts = routes.flatMap(route => (route.tls === tls && route.host !== undefined ? [route.host] : []))
  return [...new Set(hosts)].sort()
}
