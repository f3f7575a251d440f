import { expect } from 'chai'
import { firstToTell } from '../../../../lib/reconcile/repository/commit/first-to-tell.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

/** Asks so many engines of which none answers. */
function askAll(engines: number): Promise<object | undefined> {
  const all = Array.from({ length: engines }, (_, index) => index)
  return firstToTell(all, 60_000, async index => {
    throw new Error(`${index} does not answer`)
  }).catch(() => undefined)
}

describe('asking for an engine that answers', () => {
  it('G17 G24 takes in proportion to the engines where none does', async () => {
    expect(await growth(askAll, 1_000)).to.be.below(mostInProportion)
  })
})
