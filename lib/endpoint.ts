import { join } from 'node:path'
import { parseSshEndpoint, type SshPlace } from './endpoint/ssh-place.ts'
import { Failure } from './errors.ts'
import { hostKeyIn } from './ssh/known-hosts.ts'
import { maskCredentials } from './text/mask.ts'

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
 * Returns where the engine of a site listens: its `endpoint`, or else `DOCKER_HOST` with `DOCKER_TLS_VERIFY` and
 * `DOCKER_CERT_PATH` as Docker's own command line reads them, or else the local socket. Fails with `config-invalid`.
 */
export function endpointOf(site: SiteEndpoint, env: Environment): Endpoint {
  const found = readEndpoint(site, env)
  if ('what' in found) throw new Failure('config-invalid', `sites/${site.name}/${found.key}: ${found.what}`)
  return found
}

/**
 * Returns what is wrong with the entry of a site by itself; undefined: nothing, or it says no endpoint, so that the
 * environment variables decide.
 */
export function endpointFault(site: SiteEndpoint): EndpointFault | undefined {
  const found = site.endpoint === undefined ? undefined : readEndpoint(site, {})
  return found !== undefined && 'what' in found ? found : undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong in the entry of a site, and the key where it is. */
export type EndpointFault = { readonly key: string; readonly what: string }

function fault(key: string, what: string): EndpointFault {
  return { key, what }
}

function readEndpoint(site: SiteEndpoint, env: Environment): Endpoint | EndpointFault {
  const own = site.endpoint ?? (env['DOCKER_HOST'] || undefined)
  const ssh = own === undefined ? undefined : parseSshEndpoint(own)
  if (own !== undefined && ssh !== undefined) return sshEndpoint(site, own, ssh)
  if (site.ssh !== undefined) return fault('ssh', 'is only for an endpoint that begins with ssh://user@host')
  if (own === undefined) return { kind: 'unix', path: '/var/run/docker.sock' }
  const unix = /^unix:\/\/(\/.+)$/.exec(own)?.[1]
  if (unix !== undefined) return { kind: 'unix', path: unix }
  const url = URL.canParse(own) ? new URL(own) : undefined
  if (url === undefined || !/^(tcp|http|https):$/.test(url.protocol) || url.hostname === '')
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
  const port = url.port === '' ? (tls === undefined ? 2375 : 2376) : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { kind: 'tcp', host, port, ...(tls === undefined ? {} : { tls }) }
}

function tlsOf(env: Environment): TlsFiles | undefined {
  const directory = env['DOCKER_CERT_PATH']
  if (!env['DOCKER_TLS_VERIFY'] || !directory) return undefined
  const file = (name: string) => join(directory, name)
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') }
}

function sshEndpoint(site: SiteEndpoint, own: string, place: SshPlace | string): SshEndpoint | EndpointFault {
  if (typeof place === 'string') return fault('endpoint', `"${maskCredentials(own)}" ${place}`)
  if (site.tls !== undefined) return fault('tls', 'is not used over SSH; take it out')
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
