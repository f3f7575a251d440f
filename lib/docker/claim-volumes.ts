import type { ClaimVolume, ClaimVolumes } from '../state/claim-volume.ts'
import { claimLabel } from '../state/labels.ts'
import { type Client, patientMs } from './api/client.ts'
import { claimRefused } from './api/refused-volumes.ts'

type Shown = {
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly CreatedAt?: string
}

const missing = 404

/** Returns the volumes on an engine that say which Tallyman writes there (D17). Listing them may take a slow plugin. */
export function claimVolumes(client: Client): ClaimVolumes {
  return {
    async list(claim, signal) {
      const filters = { label: [`${claimLabel.claim}=${claim}`] }
      const answer = await client.call<{ readonly Volumes: readonly Shown[] | null }>(
        { method: 'GET', path: '/volumes', query: { filters }, limitMs: patientMs },
        signal,
      )
      if (!answer.ok) throw claimRefused(client.site, answer)
      return (answer.body.Volumes ?? []).map(shown)
    },
    async create(name, labels, signal) {
      // The default driver of an engine may be a plugin that other engines share.
      const body = { Name: name, Driver: 'local', Labels: labels }
      const answer = await client.call<Shown>({ method: 'POST', path: '/volumes/create', body }, signal)
      if (!answer.ok) throw claimRefused(client.site, answer)
      return shown(answer.body)
    },
    async remove(name, signal) {
      const answer = await client.call({ method: 'DELETE', path: `/volumes/${name}` }, signal)
      if (!answer.ok && answer.status !== missing) throw claimRefused(client.site, answer)
    },
  }
}

function shown({ Name, Labels, CreatedAt }: Shown): ClaimVolume {
  return { name: Name, labels: Labels, ...(CreatedAt === undefined ? {} : { createdAt: CreatedAt }) }
}
