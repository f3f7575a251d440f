import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { createPauses } from '../../../lib/registry/api/pause.ts'
import { askRegistries } from '../../../lib/registry/ask.ts'
import { parseReference } from '../../../lib/state/image/reference.ts'
import { digest } from '../../support/builders/builders.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
/** Nobody answers us there. */
const reference = parseReference('127.0.0.1:1/web:1')

describe('a registry that has had too many requests', () => {
  it('G21 is not asked any more, neither through the engine nor by ourselves', async () => {
    const limited = new Failure('registry-rate-limited', 'slow down')
    const engine = memoryEngine({ distribution: () => Promise.reject(limited) })
    const registries = askRegistries(engine, async () => undefined, createPauses())
    expect(await failureOf(registries.resolve(reference, signal))).to.equal(limited)
    expect(await failureOf(registries.manifests(reference, digest('a'), signal))).to.equal(limited)
  })
})

describe('a registry that does not answer three times in a row', () => {
  it('G21 is given up by the engines alone if it did not answer them, and by us alone if it did not answer us', async () => {
    const answer = { digest: digest('a'), mediaType: '' }
    let isReached = true
    const engine = memoryEngine({
      distribution: async () => {
        if (isReached) return answer
        throw new Failure('registry-unreachable', 'no route')
      },
    })
    const registries = askRegistries(engine, async () => undefined, createPauses())
    const ourselves = () => failureOf(registries.manifests(reference, digest('a'), signal))
    for (const _ of [1, 2, 3]) expect((await ourselves()).code).to.equal('registry-unreachable')
    expect(await registries.resolve(reference, signal)).to.equal(answer)
    isReached = false
    for (const _ of [1, 2, 3]) await failureOf(registries.resolve(reference, signal))
    isReached = true
    expect((await failureOf(registries.resolve(reference, signal))).message).to.equal('no route')
  })
})
