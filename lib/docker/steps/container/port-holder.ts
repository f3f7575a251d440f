import type { Client } from '../../api/client.ts'
import type { Refusal } from '../../api/refusal.ts'
import { listContainers } from '../../observe/list-containers.ts'
import { holderInWords } from '../../observe/taken/holder-in-words.ts'
import type { Publishing } from '../../observe/taken/publishing.ts'

/**
 * Adds to the refusal of a host port who publishes it, if the engine knows: in words of the repository, if Tallyman
 * created the container. A process outside of containers is not named. Never fails.
 */
export async function withPortHolder(
  client: Client,
  refusal: Refusal,
  signal: AbortSignal,
): Promise<Refusal> {
  const port = refusedPort(refusal.message)
  if (port === undefined) return refusal
  const filters = { publish: [String(port)] }
  const running = await listContainers<Publishing>(client, { filters }, signal).catch(() => [])
  const holder = running.find(({ Ports }) => Ports?.some(({ PublicPort }) => PublicPort === port))
  return holder === undefined
    ? refusal
    : { ...refusal, message: `${refusal.message}; ${holderInWords(holder)} publishes ${port}` }
}

/** How engines word it. The newest ones also name the port of the container. */
const refusals = [
  /host port (?:for )?(?:\[[0-9a-f:]+\]|[0-9.]+):(\d+)/,
  /:(\d+)(?:\/\w+)?(?: failed)?: (?:bind: )?(?:port is already allocated|address already in use)/,
]

function refusedPort(message: string): number | undefined {
  const port = refusals.map(words => words.exec(message)?.[1]).find(each => each !== undefined)
  return port === undefined ? undefined : Number(port)
}
