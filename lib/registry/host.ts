import { withoutEnd } from '../without-end.ts'

/** Docker Hub under all the names users and engines give it. */
const hubNames: readonly string[] = [
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'index.docker.io/v1',
]

/**
 * One spelling for one registry: lower case, no scheme, no port where it is the one of HTTPS, Docker Hub always
 * `docker.io`. This machine's own registries speak plain HTTP, where that port is another one.
 */
export function canonicalHost(host: string): string {
  const bare = withoutEnd(host.toLowerCase().replace(/^https?:\/\//, ''), '/')
  const [, name = '', path = ''] = /^([^/]*):443(\/.*)?$/.exec(bare) ?? []
  const spelled = name === '' || isLoopback(name) || /^http:/i.test(host) ? bare : `${name}${path}`
  return hubNames.includes(spelled) ? 'docker.io' : spelled
}

/** Where the registry's own interface answers. */
export function apiHost(host: string): string {
  return host === 'docker.io' ? 'registry-1.docker.io' : host
}

/** Who gives out a registry's tokens without anybody naming them: itself, and for Docker Hub a host of its own. */
export function tokenHostsOf(host: string): readonly string[] {
  return host === 'docker.io' ? [apiHost(host), 'auth.docker.io'] : [host]
}

/** Whether a host, with or without a port, is this machine: engines speak plain HTTP to it. */
export function isLoopback(host: string): boolean {
  const address = `http://${host}`
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
