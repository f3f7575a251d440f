import { Failure } from '../../errors.ts'
import { type Command, commands } from '../../ingress/container/commands.ts'
import { requestsUnderWay } from '../../ingress/container/replies.ts'
import { ingressName } from '../../state/application/ingress/route.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isKeptContainer } from '../../state/running/job-container.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { imageFacts } from '../container/config/inherited.ts'
import { excerpt, type Hide } from '../container/output/excerpt.ts'
import { exec, type Ran } from '../container/output/exec.ts'
import { listContainers } from '../observe/list-containers.ts'
import { engineNameOf, type ListedContainer } from '../observe/live-container.ts'
import { ownFilter } from '../ownership.ts'

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
    : (await listContainers(client, { all: 1, filters: ownIngressFilter(owner) }, signal)).filter(
        ({ Labels }) => isOurs(Labels, owner),
      )
  return listed
    .map(({ Id, Names, State }) => ({
      id: Id,
      engineName: engineNameOf(Names),
      isRunning: State === 'running',
    }))
    .filter(one => !isKeptContainer(one))
}

function ownIngressFilter(owner: Identity): { readonly label: readonly string[] } {
  const own = [`${label.application}=${ingressName}`, `${label.service}=${ingressName}`, `${label.role}=app`]
  return { label: [...ownFilter(owner).label, ...own] }
}

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
  const labelled = await listContainers(client, { all: 1, filters: externalFilter(owner) }, signal)
  const foreign = labelled.filter(({ Labels }) => labelOf(Labels, label.environment) === undefined)
  const lent = await Promise.all(foreign.map(one => isLent(client, one, signal)))
  return foreign.filter((_, index) => lent[index])
}

/** Whether the label was given to the container. Labels of its image prove nothing. */
async function isLent(client: Client, { ImageID }: ListedContainer, signal: AbortSignal): Promise<boolean> {
  if (ImageID === undefined) return false
  const found = await imageFacts(client, ImageID, signal)
  return found.ok && !Object.hasOwn(found.body.reserved, label.ingress)
}

/** Returns the engine's own filter for that. */
function externalFilter({ environment }: Identity): { readonly label: readonly string[] } {
  return { label: [`${label.ingress}=${environment}`] }
}

/** Returns the ingress that answers users now. */
export async function runningIngress(
  client: Client,
  owner: Identity,
  signal: AbortSignal,
): Promise<Ingress | undefined> {
  return (await ingressContainers(client, owner, signal)).find(({ isRunning }) => isRunning)
}

/** Returns how many requests to an address are under way; if that is unknown, why, in words. */
export async function underWay(
  client: Client,
  { id }: Ingress,
  address: string,
  signal: AbortSignal,
): Promise<number | string> {
  const ran = await exec(client, id, commands.underWay, signal)
  if (!ran.ok) return ran.message
  if (!hasAnswered(ran.body)) return silenceIn(client, ran.body)
  return requestsTo(address, ran.body.output, client.redact)
}

/** Returns the number of requests to an address from the answer of the ingress, or what it says instead. */
export function requestsTo(address: string, answer: string, hide: Hide): number | string {
  return requestsUnderWay(address, answer) ?? (excerpt(answer, hide) || 'it answers nothing')
}

/** Runs a program in the container of the ingress. Fails if the engine refuses that. */
export async function runIn(
  client: Client,
  { id, engineName }: Ingress,
  command: Command,
  signal: AbortSignal,
): Promise<Ran> {
  const ran = await exec(client, id, command, signal)
  if (!ran.ok) throw refused(client.site, engineName, ran)
  return ran.body
}

/** Whether a program gave an answer that can be read: to its end, and all of it. */
export function hasAnswered({ exitCode, isCut }: Ran): boolean {
  return exitCode === 0 && isCut !== true
}

/** Returns why a program in the container of the ingress gave no answer, in words. */
export function silenceIn({ redact }: Client, { output, exitCode, isCut }: Ran): string {
  if (exitCode === 0 && isCut) return 'its answer is larger than is read'
  return excerpt(output, redact) || (exitCode === undefined ? 'no answer in time' : `exit code ${exitCode}`)
}

/** Returns the output of a program in the container of an ingress. Fails with `ingress-unreachable` if it says nothing. */
export async function outputIn(
  client: Client,
  ingress: Ingress,
  command: Command,
  signal: AbortSignal,
): Promise<string> {
  const { engineName } = ingress
  const ran = await runIn(client, ingress, command, signal)
  if (hasAnswered(ran)) return ran.output
  const why = silenceIn(client, ran)
  throw new Failure('ingress-unreachable', `${client.site}: ${engineName}: ${why}`, { resource: engineName })
}
