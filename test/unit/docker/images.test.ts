import { expect } from 'chai'
import { distribution } from '../../../lib/docker/images.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { engineAnswering } from './answering.ts'

const { signal } = new AbortController()

describe('what a tag means, asked through the engine', () => {
  for (const digest of ['', 'sha256:x y', 'sha256:12'])
    it(`G24 D5 is not known if the answer is no digest: ${JSON.stringify(digest)}`, async () => {
      const Descriptor = { digest, mediaType: 'application/vnd.oci.image.index.v1+json' }
      const engine = engineAnswering({ '/distribution/registry.example/web:1/json': { Descriptor } })
      expect(await failureOf(distribution(engine, 'registry.example/web:1', signal))).to.include({
        code: 'registry-unreachable',
        message:
          'local: registry.example/web:1: the registry answers with a digest that is not sha256: and 64 hex digits',
      })
    })
})
