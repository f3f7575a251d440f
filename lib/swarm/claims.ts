import { createHash } from 'node:crypto'
import type { Client } from '../docker/api/client.ts'
import { Failure } from '../errors.ts'
import type { ClaimVolume, ClaimVolumes } from '../state/claim-volume.ts'
import { claimLabel, type Labels, labelOf } from '../state/labels.ts'
import { askFor, askManager, failureOnSwarm } from './api/asked.ts'

type Config = {
  readonly ID: string
  readonly CreatedAt?: string
  readonly Spec: { readonly Name: string; readonly Labels: Labels }
}

/**
 * Returns what says which Tallyman writes to a Swarm (D17). A volume is only on one node, so these are configs, of which
 * a Swarm has one of each name, whichever manager is asked. Their own name is too long for one, and stands in a label.
 */
export function claimsOnSwarm(client: Client): ClaimVolumes {
  const find = async (name: string, signal: AbortSignal) => {
    const path = `/configs/${configName(name)}`
    return askManager<Config>(client, 'claim', { method: 'GET', path }, signal)
  }
  return {
    async list(claim, signal) {
      const query = { filters: { label: [`${claimLabel.claim}=${claim}`] } }
      const request = { method: 'GET', path: '/configs', query } as const
      return (await askFor<readonly Config[]>(client, 'list of claims', request, signal)).map(shown)
    },
    async create(name, labels, signal) {
      const Labels = { ...labels, [claimLabel.name]: name }
      // A Swarm keeps no config without content.
      const body = { Name: configName(name), Labels, Data: Buffer.from(name).toString('base64') }
      const request = { method: 'POST', path: '/configs/create', body } as const
      const answer = await client.call(request, signal)
      const there = await find(name, signal)
      if (there !== undefined) return shown(there)
      if (!answer.ok) throw failureOnSwarm(client.site, 'claim', answer)
      throw new Failure('service-changed', `${client.site}: claim: it was removed as soon as it was made`)
    },
    async remove(name, signal) {
      await askManager(client, 'claim', { method: 'DELETE', path: `/configs/${configName(name)}` }, signal)
    },
  }
}

function configName(name: string): string {
  return `tallyman-claim-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`
}

function shown({ CreatedAt, Spec: { Name, Labels } }: Config): ClaimVolume {
  const name = labelOf(Labels, claimLabel.name) ?? Name
  return { name, labels: Labels, ...(CreatedAt === undefined ? {} : { createdAt: CreatedAt }) }
}
