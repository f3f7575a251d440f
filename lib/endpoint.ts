import { homedir } from 'node:os'
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
 * Returns where the engine of a site listens: its `endpoint`, or else `DOCKER_HOST` with `DOCKER_TLS_VERIFY`,
 * `DOCKER_CERT_PATH` and `DOCKER_CONFIG` as Docker's own command line reads them, or else the local socket. Fails with
 * `config-invalid`, also where TLS is asked for in a way that has no effect: nothing is ever sent without it then (G16).
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
  const unix = own === undefined ? '/var/run/docker.sock' : /^unix:\/\/(\/.+)$/.exec(own)?.[1]
  if (unix !== undefined && site.tls !== undefined)
    return fault('tls', 'is not used over a socket; take it out, or name an endpoint that begins with tcp://')
  if (own === undefined || unix !== undefined) return { kind: 'unix', path: unix ?? '' }
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
  if (tls !== undefined && 'what' in tls) return tls
  if (tls === undefined && url.protocol === 'https:')
    return fault(
      'endpoint',
      `"${own}" asks for TLS, and no certificates are named for it; add "tls: {ca: …, cert: …, key: …}" to the site, or set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH`,
    )
  // A URL leaves out the usual port of its protocol, which is not that of an engine.
  const port = Number(/:(\d+)\/?$/.exec(own)?.[1] ?? (tls === undefined ? 2375 : 2376))
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
