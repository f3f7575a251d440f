import { join } from 'node:path'
import { Failure } from '../../errors.ts'

/** PEM files, by path. */
export type TlsFiles = { readonly ca: string; readonly cert: string; readonly key: string }

/** A site's own entry in the configuration. What it leaves out comes from the environment variables. */
export type SiteEndpoint = { readonly name: string; readonly endpoint?: string; readonly tls?: TlsFiles }

/** Where an engine listens. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: TlsFiles }

/**
 * Returns where the engine of a site listens: its `endpoint`, or else `DOCKER_HOST` with `DOCKER_TLS_VERIFY` and
 * `DOCKER_CERT_PATH` as Docker's own command line reads them, or else the local socket. Fails with `config-invalid`.
 */
export function endpointOf(site: SiteEndpoint, env: Readonly<Record<string, string | undefined>>): Endpoint {
  const own = site.endpoint ?? (env['DOCKER_HOST'] || undefined)
  if (own === undefined) return { kind: 'unix', path: '/var/run/docker.sock' }
  const unix = /^unix:\/\/(\/.+)$/.exec(own)?.[1]
  if (unix !== undefined) return { kind: 'unix', path: unix }
  const url = URL.canParse(own) ? new URL(own) : undefined
  if (url === undefined || !/^(tcp|http|https):$/.test(url.protocol) || url.hostname === '')
    throw new Failure(
      'config-invalid',
      `sites/${site.name}/endpoint: "${own}" is not a unix:// or tcp:// address`,
    )
  const tls = site.tls ?? (site.endpoint === undefined ? tlsOf(env) : undefined)
  const port = url.port === '' ? (tls === undefined ? 2375 : 2376) : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { kind: 'tcp', host, port, ...(tls === undefined ? {} : { tls }) }
}

function tlsOf(env: Readonly<Record<string, string | undefined>>): TlsFiles | undefined {
  const directory = env['DOCKER_CERT_PATH']
  if (!env['DOCKER_TLS_VERIFY'] || !directory) return undefined
  const file = (name: string) => join(directory, name)
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') }
}
