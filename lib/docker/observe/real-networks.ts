import { isJob } from '../../state/running/job-container.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import type { Listing } from './look-closer.ts'

/**
 * Returns the same containers, each with the networks that still exist. A stopped container holds no network: it lists
 * those that it had, and a present one of the same name may be another. Asks the engine only if that may be so.
 */
export async function withRealNetworks(
  client: Client,
  seen: readonly Listing[],
  signal: AbortSignal,
): Promise<readonly Listing[]> {
  if (!seen.some(mayHaveLost)) return seen
  const answer = await client.call<readonly { readonly Id: string; readonly Name: string }[]>(
    { method: 'GET', path: '/networks' },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of networks', answer)
  const ids = new Set(answer.body.map(({ Id }) => Id))
  const names = new Set(answer.body.map(({ Name }) => Name))
  return seen.map(one => {
    if (!mayHaveLost(one)) return one
    const { live, listed } = one
    const networks = live.networks.filter(name => {
      // A container that was never started knows its network by name alone.
      const id = listed.NetworkSettings?.Networks?.[name]?.NetworkID ?? ''
      return id === '' ? names.has(name) : ids.has(id)
    })
    return { listed, live: { ...live, networks } }
  })
}

function mayHaveLost({ live }: Listing): boolean {
  const holds = live.state === 'running' || live.state === 'paused' || live.state === 'restarting'
  return !holds && !isJob(live) && live.networks.length > 0
}
