import type { ClaimVolume, ClaimVolumes } from '../state/claim-volume.ts'
import { claimLabel } from '../state/labels.ts'
import type { Client } from './api/client.ts'
import { claimRefused } from './api/refused-volumes.ts'
import { type ListedVolume, listVolumes } from './observe/list-volumes.ts'

type Shown = Pick<ListedVolume, 'Name' | 'Labels' | 'CreatedAt'>

const missing = 404

/** Returns the volumes on an engine that say which Tallyman writes there (D17). */
export function claimVolumes(client: Client): ClaimVolumes {
  return {
    async list(claim, signal) {
      const filters = { label: [`${claimLabel.claim}=${claim}`] }
      const answer = await listVolumes(client, filters, signal)
      if (!answer.ok) throw claimRefused(client.site, answer)
      return answer.body.map(shown)
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
