import type { Readable } from 'node:stream'
import type { IngressReport, ObtainedCertificate, Scope } from '../../engine.ts'
import { toFailure } from '../../errors.ts'
import { commands } from '../../ingress/container/commands.ts'
import { drainingFile, files } from '../../ingress/container/files.ts'
import { certificateAt } from '../../ingress/container/replies.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { type Choice, entriesOf, filesUpTo } from '../container/files/archive.ts'
import { type Ingress, outputIn, runningIngress } from './ingress-container.ts'

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
    outputIn(client, ingress, commands.metrics, signal).catch(toFailure),
  ])
  return { isDraining, obtained, metrics }
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
