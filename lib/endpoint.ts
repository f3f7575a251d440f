import { homedir } from 'node:os'
import { join } from 'node:path'
import { Failure } from './errors.ts'
import { hostKeyIn } from './ssh/known-hosts.ts'
import { parseSshEndpoint, type SshPlace } from './ssh/ssh-place.ts'
import { maskCredentials } from './text/redaction/mask.ts'

/** PEM files, by path. */
export type TlsFiles = { readonly ca: string; readonly cert: string; readonly key: string }

/** How to log in over SSH, as the configuration says it: one of the last two. */
export type SshSettings = {
  readonly keyFile: string
  readonly knownHostsFile?: string
  readonly hostKey?: string
}

/** A site's own entry in the configuration. What it leaves out comes from the environment variables. */
export type SiteEndpoint = {
  readonly name: string
  readonly endpoint?: string
  readonly tls?: TlsFiles
  readonly ssh?: SshSettings
}

/** `managers`: the endpoints of further managers, if the site is a Swarm. */
type SiteEndpoints = SiteEndpoint & { readonly managers?: readonly string[] }

/** Where an engine listens. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: TlsFiles }
  | SshEndpoint

/** An engine on a host where somebody logs in with a key. */
export type SshEndpoint = SshPlace & {
  readonly kind: 'ssh'
  readonly keyFile: string
  /** The keys that the host may have: those in a file, or one. */
  readonly known: { readonly file: string } | { readonly key: Buffer }
}

/**
 * Returns where the engine of a site listens: its `endpoint`, or else `DOCKER_HOST` with `DOCKER_TLS_VERIFY`,
 * `DOCKER_CERT_PATH` and `DOCKER_CONFIG` as Docker's own command line reads them, or else the local socket. Takes of the
 * settings of the site those that it can use. Fails with `config-invalid`, also where an address asks for TLS and cannot
 * have it, or where the variables name one that cannot use what the entry says: nothing is ever sent without TLS then,
 * nor to another engine than the one that is meant (G16).
 */
export function endpointOf(site: SiteEndpoints, env: Environment): Endpoint {
  const found = readEndpoint(site, env)
  if ('what' in found) throw failureOf(site, found)
  // Of several managers, one can use what another cannot.
  const isOnly = site.endpoint === undefined && site.managers === undefined
  const [unusable] = isOnly ? useless(site, [found]) : []
  if (unusable !== undefined) throw failureOf(site, unusable)
  return found
}

function failureOf(site: SiteEndpoint, { key, what }: EndpointFault): Failure {
  const isNamed = site.endpoint !== undefined || key !== 'endpoint'
  const where = isNamed ? `sites/${site.name}/${key}` : `DOCKER_HOST, for the site ${site.name}`
  return new Failure('config-invalid', `${where}: ${what}`)
}

/**
 * Returns what is wrong with the entry of a site: each address by itself, and settings that none of them can use (G24).
 * @param env the environment variables, which decide where the entry says no endpoint; absent: nobody knows them
 */
export function endpointFaults(
  { managers = [], ...site }: SiteEndpoints,
  env?: Environment,
): readonly EndpointFault[] {
  const first = site.endpoint === undefined && env === undefined ? undefined : readEndpoint(site, env ?? {})
  const others = managers.map((endpoint, index) => {
    const found = readEndpoint({ ...site, endpoint }, {})
    return 'what' in found && found.key === 'endpoint' ? { ...found, key: `managers/${index}` } : found
  })
  const all = [first, ...others]
  // What is wrong with the variables is no fault of the entry.
  const written = site.endpoint === undefined ? others : all
  const wrong = written.filter(found => found !== undefined && 'what' in found)
  return [...new Map([...wrong, ...useless(site, all)].map(one => [one.key, one])).values()]
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong in the entry of a site, and the key where it is. */
export type EndpointFault = { readonly key: string; readonly what: string }

function fault(key: string, what: string): EndpointFault {
  return { key, what }
}

/** Returns the settings of a site that none of its engines can use. Of one whose address is wrong or undefined, nobody knows. */
function useless(
  { tls, ssh }: SiteEndpoint,
  all: readonly (Endpoint | EndpointFault | undefined)[],
): readonly EndpointFault[] {
  const mayBe = (kind: Endpoint['kind']) =>
    all.some(found => found === undefined || 'what' in found || found.kind === kind)
  const over = mayBe('ssh') ? 'SSH' : 'a socket'
  return [
    ...(tls === undefined || mayBe('tcp')
      ? []
      : [fault('tls', `is not used over ${over}; take it out, or name an endpoint that begins with tcp://`)]),
    ...(ssh === undefined || mayBe('ssh')
      ? []
      : [fault('ssh', 'is only for an endpoint that begins with ssh://user@host')]),
  ]
}

function readEndpoint(site: SiteEndpoint, env: Environment): Endpoint | EndpointFault {
  const own = site.endpoint ?? (env['DOCKER_HOST'] || undefined)
  const ssh = own === undefined ? undefined : parseSshEndpoint(own)
  if (own !== undefined && ssh !== undefined) return sshEndpoint(site, own, ssh)
  const unix = own === undefined ? '/var/run/docker.sock' : /^unix:\/\/(\/.+)$/.exec(own)?.[1]
  if (own === undefined || unix !== undefined) return { kind: 'unix', path: unix ?? '' }
  const url = URL.canParse(own) ? new URL(own) : undefined
  if (url === undefined || !/^\s*(tcp|https?):\/\/[^/]/i.test(own) || url.hostname === '')
    return fault('endpoint', `"${maskCredentials(own)}" is not a unix://, tcp:// or ssh:// address`)
  if (url.username !== '' || url.password !== '')
    return fault(
      'endpoint',
      `"${maskCredentials(own)}" has a user or a password, which is not used there; take it out`,
    )
  if (url.pathname.length > 1 || url.search !== '' || url.hash !== '')
    return fault(
      'endpoint',
      `"${url.protocol}//${url.host}…" has something after its host and port, which is not used; take it out`,
    )
  const tls = site.tls ?? (site.endpoint === undefined ? tlsOf(env) : undefined)
  if (tls !== undefined && 'what' in tls) return tls
  // Those are for an address that is a variable, too.
  const orVariables = site.endpoint === undefined ? ', or set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH' : ''
  if (tls === undefined && url.protocol === 'https:')
    return fault(
      'endpoint',
      `"${own}" asks for TLS, and no certificates are named for it; add "tls: {ca: …, cert: …, key: …}" to the site${orVariables}`,
    )
  // A URL leaves out the usual port of its protocol, which is not that of an engine; that of tcp: has none.
  const { port: written } = new URL(own.replace(/^[^:]*:/, 'tcp:'))
  const port = Number(written || (tls === undefined ? 2375 : 2376))
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { kind: 'tcp', host, port, ...(tls === undefined ? {} : { tls }) }
}

/** As Docker's command line reads the variables, but for TLS without a look at who answers. */
function tlsOf(env: Environment): TlsFiles | EndpointFault | undefined {
  if (!env['DOCKER_TLS_VERIFY'])
    return env['DOCKER_TLS']
      ? fault(
          'endpoint',
          'DOCKER_TLS asks for TLS with whoever answers; set DOCKER_TLS_VERIFY, so that the certificate of the engine is checked',
        )
      : undefined
  const usual = env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker')
  const file = (name: string) => join(env['DOCKER_CERT_PATH'] || usual, name)
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') }
}

function sshEndpoint(site: SiteEndpoint, own: string, place: SshPlace | string): SshEndpoint | EndpointFault {
  if (typeof place === 'string') return fault('endpoint', `"${maskCredentials(own)}" ${place}`)
  const { keyFile, knownHostsFile: file, hostKey } = site.ssh ?? {}
  if (keyFile === undefined)
    return fault(
      'ssh',
      'is missing: an engine over SSH needs "ssh: {keyFile: …, knownHostsFile: …}" with a private key and the keys of hosts',
    )
  if ((file === undefined) === (hostKey === undefined))
    return fault('ssh', 'needs either "knownHostsFile" or "hostKey", which say what key the host has')
  const key = hostKey === undefined ? undefined : hostKeyIn(hostKey)
  if (hostKey !== undefined && key === undefined)
    return fault('ssh/hostKey', 'is no public key; write it as ssh-keyscan prints it, without the host')
  return { ...place, kind: 'ssh', keyFile, known: key === undefined ? { file: file ?? '' } : { key } }
}
