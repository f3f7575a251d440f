/** What stands where in the container of the ingress. */
export const files = {
  /** The configuration with which Caddy starts. */
  current: '/etc/caddy/routes.json',
  /** The configuration that is tried. */
  next: '/etc/caddy/next.json',
  /** The root certificate of the authority. Caddy accepts only the path of a file. */
  root: '/etc/caddy/authority.pem',
  /** The volume, which outlasts the container. */
  volume: '/data',
  storage: '/data/caddy',
  /** The certificates that Caddy obtained or created: `AUTHORITY/HOST/HOST.crt`, with the key beside it. */
  certificates: '/data/caddy/certificates',
} as const

/** The configurations with which it starts on a Swarm, of which it takes the one for its version. */
export const onSwarm = {
  newer: '/etc/caddy/routes-newer.json',
  older: '/etc/caddy/routes-older.json',
} as const

/**
 * While this file exists, load balancers are told to send no more requests. It is in the volume, so that a drained site
 * stays drained whatever happens to the container.
 */
export const drainingFile = { directory: files.volume, name: 'draining' } as const
