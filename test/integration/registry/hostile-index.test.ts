import { expect } from 'chai'
import { createPauses } from '../../../lib/registry/api/pause.ts'
import { askRegistries } from '../../../lib/registry/ask.ts'
import { resolveImage } from '../../../lib/registry/resolve-image.ts'
import type { Image } from '../../../lib/state/application/container/container.ts'
import { digestOf } from '../../support/images/images.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { serve } from './serve.ts'

const { signal } = new AbortController()
const mediaType = 'application/vnd.oci.image.index.v1+json'
const platform = { os: 'linux', architecture: 'amd64' }

/** Resolves an image for linux/amd64 from an index with this entry. */
async function resolved(digest: string, remembered?: string) {
  const index = JSON.stringify({ schemaVersion: 2, mediaType, manifests: [{ mediaType, digest, platform }] })
  await using server = await serve({ '/v2/team/web/manifests/': { body: index } })
  const reference = `${server.host}/team/web:1`
  const engine = memoryEngine({ distribution: async () => ({ digest: digestOf(index), mediaType }) })
  const registries = askRegistries(engine, async () => undefined, createPauses())
  const image: Image = {
    reference,
    platform: 'linux/amd64',
    pin: { state: 'unknown', reason: 'not resolved yet' },
  }
  const resolutions = { find: () => remembered, remember: () => undefined }
  const resolution = await resolveImage(image, { engine, registries, resolutions, commit: 'c' }, signal)
  return { reference, resolution }
}

const own = `sha256:${'a'.repeat(64)}`

describe('an index of a hostile registry', () => {
  for (const digest of ['sha256:x y', 'sha256:../../containers/json', ''])
    it(`G24 D15 refuses its image alone if the digest of the platform is ${JSON.stringify(digest)}`, async () => {
      const { reference, resolution } = await resolved(digest)
      expect(resolution).to.deep.include({ kind: 'refused', unfit: 'platform' })
      expect(resolution).to.have.nested.property('problem.code', 'image-not-found')
      expect(resolution).to.have.nested.property(
        'problem.message',
        `${reference}: is not for linux/amd64, and does not say what it is for`,
      )
    })

  it('G24 asks again where what was remembered of an image is no digest', async () => {
    const { resolution } = await resolved(own, 'sha256:x y')
    expect(resolution).to.deep.equal({ kind: 'settled', pin: { state: 'pinned', digest: own } })
  })
})
