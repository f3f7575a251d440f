import { expect } from 'chai'
import { type AdvanceInput, advance } from '../../../../lib/reconcile/fleet/advance.ts'
import { labelsOf } from '../../../../lib/state/fleet/labels.ts'
import { nothingBegun } from '../../../support/fleet/nothing-begun.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

/** A deployment that begins on sites that all have the version. */
function beginOn(size: number): AdvanceInput {
  const names = Array.from({ length: size }, (_, index) => `store-${index}`)
  const deployment = {
    name: 'shop-everywhere',
    application: 'shop',
    placement: { kind: 'all-sites' },
    sitesInParallel: 2,
    healthyMs: 60_000,
    revision: 'r1',
  } as const
  return {
    ...nothingBegun,
    deployment,
    wanted: { version: '1.0', content: 'c1' },
    sites: names.map(name => ({ name, labels: labelsOf([]) })),
    placement: { deployment, sites: names, canaries: [], known: {} },
    hasIt: () => true,
    nowMs: 1_000,
  }
}

describe('the advance of a deployment to very many sites', () => {
  it('G17 takes no longer for each site on which a new run finds the version', async () => {
    const begin = (size: number) => advance(beginOn(size)).news.length
    expect(begin(4_000)).to.equal(1 + 4_000)
    expect(await growth(begin, 4_000)).to.be.below(mostInProportion)
  })
})
