import { addAbortSignal, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { IngressReport, ObtainedCertificate, Scope } from '../engine.ts'
import { Failure } from '../errors.ts'
import { drainingFile } from '../state/draining.ts'
import type { Client } from './client.ts'
import { connectionFailure } from './connection-failure.ts'
import { excerpt } from './excerpt.ts'
import { exec } from './exec.ts'
import { type Ingress, runningIngress } from './ingress.ts'
import { refused } from './refusal.ts'

/**
 * Where Caddy keeps the certificates that it obtained or created: `AUTHORITY/HOST/HOST.crt`, with the key beside it.
 */
const certificates = '/data/caddy/certificates'
const authority = /^certificates\/([^/]+)\/[^/]+\/[^/]+\.crt$/
/** Caddy's name for its own authority. */
const own = 'local'

/** Selects the metrics that are passed on. Runs in the container, because Caddy's own endpoint is never published. */
const askMetrics = [
  'sh',
  '-c',
  `all=$(wget -q -O - http://127.0.0.1:2019/metrics) || exit
printf '%s\\n' "$all" | grep -E '^caddy_http_request(s_total|_errors_total|_duration_seconds)' || true`,
]
const askMs = 10_000

/**
 * Returns the report of the running ingress; undefined if none runs. Skips keys in its files without reading them.
 * Fails with `ingress-unreachable` if its proxy does not answer.
 */
export async function ingressReport(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<IngressReport | undefined> {
  const ingress = await runningIngress(client, scope, signal)
  if (ingress === undefined) return undefined
  const [isDraining, obtained, metrics] = await Promise.all([
    isDrained(client, ingress, signal),
    obtainedBy(client, ingress, signal),
    metricsOf(client, ingress, signal),
  ])
  return { isDraining, obtained, metrics }
}

/**
 * Makes the site report to load balancers that it is drained, or takes requests again. Fails with `ingress-unreachable`
 * if none runs.
 */
export async function setDraining(
  client: Client,
  scope: Scope,
  isDraining: boolean,
  signal: AbortSignal,
): Promise<void> {
  const ingress = await runningIngress(client, scope, signal)
  if (ingress === undefined)
    throw new Failure('ingress-unreachable', `${client.site}: no ingress of ${scope.environment} runs`)
  const file = `${drainingFile.directory}/${drainingFile.name}`
  await run(client, ingress, isDraining ? ['touch', file] : ['rm', '-f', file], signal)
}

async function isDrained(client: Client, { id, engineName }: Ingress, signal: AbortSignal): Promise<boolean> {
  const path = `${drainingFile.directory}/${drainingFile.name}`
  const answer = await client.call(
    { method: 'HEAD', path: `/containers/${id}/archive`, query: { path } },
    signal,
  )
  if (answer.ok) return true
  if (answer.status === 404) return false
  throw refused(client.site, engineName, answer)
}

async function obtainedBy(
  client: Client,
  { id, engineName }: Ingress,
  signal: AbortSignal,
): Promise<readonly ObtainedCertificate[]> {
  const answer = await client.call<Readable>(
    { method: 'GET', path: `/containers/${id}/archive`, query: { path: certificates }, stream: true },
    signal,
  )
  if (answer.ok) return unpacked(client, answer.body, signal)
  if (answer.status === 404) return []
  throw refused(client.site, engineName, answer)
}

async function unpacked(
  client: Client,
  archive: Readable,
  signal: AbortSignal,
): Promise<readonly ObtainedCertificate[]> {
  const { extract } = await import('tar-stream')
  const obtained: ObtainedCertificate[] = []
  try {
    const files = extract()
    addAbortSignal(signal, archive)
      .on('error', error => files.destroy(error))
      .pipe(files)
    for await (const entry of files) {
      const by = authority.exec(entry.header.name)?.[1]
      if (by === undefined) entry.resume()
      else obtained.push({ isInternal: by === own, pem: await text(entry) })
    }
  } catch (error) {
    throw connectionFailure(client.site, error, signal)
  }
  return obtained
}

function metricsOf(client: Client, ingress: Ingress, signal: AbortSignal): Promise<string> {
  return run(client, ingress, askMetrics, signal)
}

/** Returns the output of a program in its container. */
async function run(
  client: Client,
  { id, engineName }: Ingress,
  command: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const ran = await exec(client, id, command, askMs, signal)
  if (!ran.ok) throw refused(client.site, engineName, ran)
  const { exitCode, output } = ran.body
  if (exitCode === 0) return output
  const why =
    excerpt(output, client.redact) || (exitCode === undefined ? 'no answer in time' : `exit code ${exitCode}`)
  throw new Failure('ingress-unreachable', `${client.site}: ${engineName}: ${why}`, { resource: engineName })
}
