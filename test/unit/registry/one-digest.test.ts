import { expect } from 'chai'
import { pinImages } from '../../../lib/registry/pin.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { imagesOf } from '../../../lib/state/image/images.ts'
import { desired, digest } from '../../support/builders/builders.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const { signal } = new AbortController()

describe('a commit that is resolved twice at the same time', () => {
  it('X9 means one digest, that which was told first, whatever the other one was told', async () => {
    const { resolutions } = memoryJournal()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const pinnedAs = async (digit: string, told: Promise<void>) => {
      const engine = memoryEngine({
        distribution: async () => {
          await told
          return { digest: digest(digit), mediaType: '' }
        },
      })
      const context = { engine, resolutions, login: async () => undefined, commit: 'c0ffee' }
      return pinsOf(await pinImages(desired({}), context, signal))
    }
    const both = [pinnedAs('a', first.promise), pinnedAs('b', second.promise)]
    first.resolve()
    await both[0]
    second.resolve()
    const one = [{ state: 'pinned', digest: digest('a') }]
    expect(await Promise.all(both)).to.deep.equal([one, one])
  })
})

function pinsOf({ applications }: DesiredState) {
  return imagesOf(applications).map(({ pin }) => pin)
}
