import type { EngineInfo } from '../engine.ts'
import type { Client } from './api/client.ts'
import { refused } from './api/refusal.ts'

/** An engine that does not say this soon does not answer. */
const limitMs = 10_000

/** Returns the identity of the engine. `architecture` is spelled as in images: `amd64`, `arm64`. */
export async function info(client: Client, signal: AbortSignal): Promise<EngineInfo> {
  const [identity, version] = await Promise.all([
    client.call<{ readonly ID: string; readonly Name: string }>(
      { method: 'GET', path: '/info', limitMs },
      signal,
    ),
    client.call<{ readonly Version: string; readonly Os: string; readonly Arch: string }>(
      { method: 'GET', path: '/version', limitMs },
      signal,
    ),
  ])
  if (!identity.ok) throw refused(client.site, 'info', identity)
  if (!version.ok) throw refused(client.site, 'version', version)
  const { Version, Os, Arch } = version.body
  const { ID, Name } = identity.body
  return { id: ID, host: Name, version: Version, os: Os, architecture: Arch }
}
