import { withoutEnd } from '../../text/without-end.ts'

/** The names that users and engines give Docker Hub. */
const hubNames: readonly string[] = [
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'index.docker.io/v1',
]

/**
 * Returns one spelling for one registry: in lower case, without a scheme, without the default port of HTTPS, without a
 * dot at the end of the name, and `docker.io` for Docker Hub. Registries on this machine are asked over plain HTTP, so
 * they keep port 443.
 */
export function canonicalHost(host: string): string {
  const bare = withoutEnd(host.toLowerCase().replace(/^https?:\/\//, ''), '/')
  const [, name = '', path = ''] = /^([^/]*):443(\/.*)?$/.exec(bare) ?? []
  const portless = name === '' || isLoopback(name) || /^http:/i.test(host) ? bare : `${name}${path}`
  const spelled = portless.replace(/^([^/:]+)\.([/:].*)?$/, '$1$2')
  return hubNames.includes(spelled) ? 'docker.io' : spelled
}

/** Returns the host of the registry's API. */
export function apiHost(host: string): string {
  return host === 'docker.io' ? 'registry-1.docker.io' : host
}

/**
 * Returns the hosts that may issue a registry's tokens without being configured: the registry itself, and for Docker
 * Hub a second host.
 */
export function tokenHostsOf(host: string): readonly string[] {
  return host === 'docker.io' ? [apiHost(host), 'auth.docker.io'] : [host]
}

/** Whether a host, with or without a port, is this machine. Engines use plain HTTP for it. */
export function isLoopback(host: string): boolean {
  const address = `http://${host}`
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
