import type { EngineInfo } from '../engine.ts'
import type { Client } from './api/client.ts'
import { refused } from './api/refusal.ts'

/** An engine that does not say this soon does not answer. */
const limitMs = 10_000

/** The part of `GET /info` that is used. */
type ToldInfo = {
  readonly ID: string
  readonly Name: string
  readonly Swarm?: { readonly ControlAvailable?: boolean }
}

/** Returns the identity of the engine. `architecture` is spelled as in images: `amd64`, `arm64`. */
export async function info(client: Client, signal: AbortSignal): Promise<EngineInfo> {
  const [identity, version] = await Promise.all([
    client.call<ToldInfo>({ method: 'GET', path: '/info', limitMs }, signal),
    client.call<{ readonly Version: string; readonly Os: string; readonly Arch: string }>(
      { method: 'GET', path: '/version', limitMs },
      signal,
    ),
  ])
  if (!identity.ok) throw refused(client.site, 'info', identity)
  if (!version.ok) throw refused(client.site, 'version', version)
  const { Version, Os, Arch } = version.body
  const { ID, Name } = identity.body
  return {
    ...{ id: ID, host: Name, version: Version, os: Os, architecture: Arch },
    ...(isManager(identity.body) ? { managesSwarm: true } : {}),
  }
}

/** Whether an engine manages a Swarm. One that does not say so counts as one that does not: that holds up nothing. */
export async function managesSwarm(client: Client, signal: AbortSignal): Promise<boolean> {
  const told = await client
    .call<ToldInfo>({ method: 'GET', path: '/info', limitMs }, signal)
    .catch(() => undefined)
  return told?.ok === true && isManager(told.body)
}

function isManager({ Swarm }: ToldInfo): boolean {
  return Swarm?.ControlAvailable === true
}
