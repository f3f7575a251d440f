import type { Readable } from 'node:stream'
import type { IngressReport, ObtainedCertificate, Scope } from '../../engine.ts'
import { Failure, toFailure } from '../../errors.ts'
import { type Command, commands } from '../../ingress/container/commands.ts'
import { drainingFile, files } from '../../ingress/container/files.ts'
import { certificateAt } from '../../ingress/container/replies.ts'
import { label } from '../../state/labels.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { type Choice, entriesOf, filesUpTo } from '../container/files/archive.ts'
import { hasAnswered, type Ingress, runIn, runningIngress, silenceIn } from './ingress-container.ts'

/**
 * Returns the report of the running ingress; undefined if none runs. Skips keys in its files without reading them. The
 * metrics may be large and late: without them, the report has the rest, which is small.
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
    run(client, ingress, commands.metrics, signal).catch(toFailure),
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

/** Whoever is in the container may put anything there. */
async function unpacked(
  client: Client,
  archive: Readable,
  signal: AbortSignal,
): Promise<readonly ObtainedCertificate[]> {
  const isSmall = filesUpTo(mostBytes, mostInAll)
  const isChosen: Choice = file => certificateAt(file.name) !== undefined && isSmall(file)
  const obtained: ObtainedCertificate[] = []
  for await (const { header, content } of entriesOf(client.site, archive, isChosen, signal)) {
    const certificate = certificateAt(header.name)
    if (certificate !== undefined && content !== undefined)
      obtained.push({ ...certificate, pem: content.toString() })
  }
  return obtained
}

/** A chain of certificates has a few thousand bytes. */
const mostBytes = 256 * 1024
const mostInAll = 64 * 1024 * 1024

/** Returns the output of a program in its container. */
async function run(client: Client, ingress: Ingress, command: Command, signal: AbortSignal): Promise<string> {
  const { engineName } = ingress
  const ran = await runIn(client, ingress, command, signal)
  if (hasAnswered(ran)) return ran.output
  const why = silenceIn(client, ran)
  throw new Failure('ingress-unreachable', `${client.site}: ${engineName}: ${why}`, { resource: engineName })
}
