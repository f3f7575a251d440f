import { type Identity, isOurs } from '../state/identity.ts'
import { isKeptContainer } from '../state/job-container.ts'
import { label, labelOf } from '../state/labels.ts'
import { ingressName } from '../state/route.ts'
import type { Client } from './client.ts'
import { excerpt, type Hide } from './excerpt.ts'
import { exec } from './exec.ts'
import { reservedLabels } from './inherited-labels.ts'
import { engineNameOf, type ListedContainer } from './live-container.ts'
import { ownFilter } from './ownership.ts'
import { refused } from './refusal.ts'

/** The container of the ingress, by its id, and its present name. */
export type Ingress = { readonly id: string; readonly engineName: string; readonly isRunning: boolean }

/** Returns the containers of the ingress, the newest first: Tallyman's own, or those that the operator provides. */
export async function ingressContainers(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly Ingress[]> {
  const listed = client.hasExternalIngress
    ? await listExternal(client, owner, signal)
    : (await list(client, { label: [...ownFilter(owner).label, ...own] }, signal)).filter(({ Labels }) =>
        isOurs(Labels, owner),
      )
  return listed
    .map(({ Id, Names, State }) => ({
      id: Id,
      engineName: engineNameOf(Names),
      isRunning: State === 'running',
    }))
    .filter(one => !isKeptContainer(one))
}

const own = [`${label.application}=${ingressName}`, `${label.service}=${ingressName}`, `${label.role}=app`]

/**
 * Returns what the operator provides as the ingress of an environment, the newest first. It receives private keys, so
 * it is recognised by what only an operator can do: nothing that Tallyman created counts, and nothing whose label comes
 * from its image.
 */
export async function listExternal(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly ListedContainer[]> {
  const labelled = await list(client, externalFilter(owner), signal)
  const foreign = labelled.filter(({ Labels }) => labelOf(Labels, label.environment) === undefined)
  const lent = await Promise.all(foreign.map(one => isLent(client, one, signal)))
  return foreign.filter((_, index) => lent[index])
}

/** Whether the label was given to the container. Labels of its image prove nothing. */
async function isLent(client: Client, { ImageID }: ListedContainer, signal: AbortSignal): Promise<boolean> {
  if (ImageID === undefined) return false
  const found = await reservedLabels(client, ImageID, signal)
  return found.ok && !found.body.includes(label.ingress)
}

/** Returns the engine's own filter for that. */
export function externalFilter({ environment }: Identity): { readonly label: readonly string[] } {
  return { label: [`${label.ingress}=${environment}`] }
}

async function list(
  client: Client,
  filters: { readonly label: readonly string[] },
  signal: AbortSignal,
): Promise<readonly ListedContainer[]> {
  const answer = await client.call<readonly ListedContainer[]>(
    { method: 'GET', path: '/containers/json', query: { all: 1, filters } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  return answer.body
}

/** Returns the ingress that answers users now. */
export async function runningIngress(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<Ingress | undefined> {
  return (await ingressContainers(client, owner, signal)).find(({ isRunning }) => isRunning)
}

/** Asks the proxy for requests under way. Runs in its container, because Caddy's own endpoint is never published. */
const askUpstreams = ['wget', '-q', '-O', '-', 'http://127.0.0.1:2019/reverse_proxy/upstreams']
const askMs = 10_000

/** Returns how many requests to an address are under way; if that is unknown, why, in words. */
export async function underWay(
  client: Client,
  { id }: Ingress,
  address: string,
  signal: AbortSignal,
): Promise<number | string> {
  const ran = await exec(client, id, askUpstreams, askMs, signal)
  if (!ran.ok) return ran.message
  const { exitCode, output } = ran.body
  if (exitCode === 0) return requestsTo(address, output, client.redact)
  return (
    excerpt(output, client.redact) || (exitCode === undefined ? 'no answer in time' : `exit code ${exitCode}`)
  )
}

/** The part of an entry in the proxy's answer that is used. */
type Upstream = { readonly address: string; readonly num_requests: number }

/**
 * Returns the number of requests to all ports of an address, from the proxy's answer. An address that is not in it has
 * none.
 */
export function requestsTo(address: string, answer: string, hide: Hide): number | string {
  const upstreams = listOf(answer)
  if (upstreams === undefined) return excerpt(answer, hide) || 'it answers nothing'
  return upstreams
    .filter(upstream => upstream.address.startsWith(`${address}:`))
    .reduce((sum, { num_requests }) => sum + num_requests, 0)
}

function listOf(answer: string): readonly Upstream[] | undefined {
  try {
    const said: unknown = JSON.parse(answer)
    return Array.isArray(said) ? said : undefined
  } catch {
    return undefined
  }
}
