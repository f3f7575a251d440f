import { addAbortSignal, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { IngressReport, ObtainedCertificate, Scope } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { type Command, commands } from '../../ingress/control/commands.ts'
import { drainingFile, files } from '../../ingress/control/files.ts'
import { certificateAt } from '../../ingress/control/replies.ts'
import { label } from '../../state/labels.ts'
import { type Client, patientMs } from '../api/client.ts'
import { connectionFailure } from '../api/connection-failure.ts'
import { refused } from '../api/refusal.ts'
import { type Ingress, runIn, runningIngress, silenceIn } from './ingress-container.ts'

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
    run(client, ingress, commands.metrics, signal),
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
    throw new Failure('ingress-unreachable', `${client.site}: ${whatIsMissing(client, scope)} runs`)
  await run(client, ingress, isDraining ? commands.drain : commands.undrain, signal)
}

/** Names what the operator has to run, if that is for the operator. */
function whatIsMissing({ hasExternalIngress }: Client, { environment }: Scope): string {
  return hasExternalIngress
    ? `no container with the label ${label.ingress}=${environment}`
    : `no ingress of ${environment}`
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
    {
      method: 'GET',
      path: `/containers/${id}/archive`,
      query: { path: files.certificates },
      stream: { wholeMs: patientMs },
    },
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
    const unpacking = extract()
    addAbortSignal(signal, archive)
      .on('error', error => unpacking.destroy(error))
      .pipe(unpacking)
    for await (const entry of unpacking) {
      const certificate = certificateAt(entry.header.name)
      if (certificate === undefined) entry.resume()
      else obtained.push({ ...certificate, pem: await text(entry) })
    }
  } catch (error) {
    throw connectionFailure(client.site, error, signal)
  }
  return obtained
}

/** Returns the output of a program in its container. */
async function run(client: Client, ingress: Ingress, command: Command, signal: AbortSignal): Promise<string> {
  const { engineName } = ingress
  const ran = await runIn(client, ingress, command, signal)
  if (ran.exitCode === 0) return ran.output
  const why = silenceIn(client, ran)
  throw new Failure('ingress-unreachable', `${client.site}: ${engineName}: ${why}`, { resource: engineName })
}
