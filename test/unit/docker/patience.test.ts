import { expect } from 'chai'
import type { Client } from '../../../lib/docker/api/client.ts'
import type { EngineRequest } from '../../../lib/docker/api/connection/dial.ts'
import { resources } from '../../../lib/docker/observe/resources.ts'
import { createVolume } from '../../../lib/docker/steps/volume/create-volume.ts'
import { identity } from '../../support/builders/builders.ts'
import { clientWith } from './answering.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }

/** A way to an engine on which nothing is, and what was asked on it. */
function silentEngine(): { readonly client: Client; readonly requests: readonly EngineRequest[] } {
  const requests: EngineRequest[] = []
  const client = clientWith(async request => {
    requests.push(request)
    return { ok: false, status: 500, message: 'error looking up volume plugin nfs: plugin "nfs" not found' }
  })
  return { client, requests }
}

describe('calls at which the engine may look for a plugin', () => {
  const { signal } = new AbortController()

  it('G12 may take the minute that it looks for a volume driver, and say that there is none', async () => {
    const { client, requests } = silentEngine()
    const volume = { name: 'prod-data', application: 'web', driver: 'nfs' }
    const failure = await createVolume(client, volume, provenance, signal).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'driver-missing', retry: 'backoff' })
    await resources(client, provenance, signal).catch(() => undefined)
    const ofVolumes = requests.filter(({ path }) => path.startsWith('/volumes'))
    expect(ofVolumes.map(({ method, limitMs }) => [method, limitMs])).to.deep.equal([
      ['POST', 120_000],
      ['GET', 120_000],
    ])
  })
})
