/** Docker Hub under all the names users and engines give it. */
const hubNames: readonly string[] = [
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'registry.hub.docker.com',
  'index.docker.io/v1',
]

/** One spelling for one registry: lower case, no scheme, Docker Hub always `docker.io`. */
export function canonicalHost(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
  return hubNames.includes(bare) ? 'docker.io' : bare
}

/** Where the registry's own interface answers. */
export function apiHost(host: string): string {
  return host === 'docker.io' ? 'registry-1.docker.io' : host
}

/** Whether a host, with or without a port, is this machine: engines speak plain HTTP to it. */
export function isLoopback(host: string): boolean {
  const { hostname } = new URL(`http://${host}`)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
