import type { Labels } from '../../state/labels.ts'
import { type Client, patientMs } from '../api/client.ts'
import type { EngineAnswer } from '../api/connection/dial.ts'

/** The part of an entry of `GET /volumes` that is used. */
export type ListedVolume = {
  readonly Name: string
  readonly Labels: Labels
  readonly Driver: string
  readonly Options?: Readonly<Record<string, string>> | null
  readonly CreatedAt?: string
}

/** Returns the engine's list of volumes, by its own filters. A slow plugin may delay it, and a proxy may refuse it. */
export async function listVolumes(
  client: Client,
  filters: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<EngineAnswer<readonly ListedVolume[]>> {
  const answer = await client.call<{ readonly Volumes: readonly ListedVolume[] | null }>(
    { method: 'GET', path: '/volumes', query: { filters }, limitMs: patientMs },
    signal,
  )
  return answer.ok ? { ...answer, body: answer.body.Volumes ?? [] } : answer
}
