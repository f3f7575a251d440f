import { expect } from 'chai'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import { type LastState, stateAfter } from '../../../../lib/reconcile/status/last-state.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

const since = '2026-01-01T00:00:00.000Z'

/** So many sites that were not reached before, and are not now. */
function afterSilence(count: number) {
  const sites = Array.from({ length: count }, (_, index) => `store-${index}`)
  const why = { code: 'engine-unreachable', message: 'no answer', hint: 'Wait.' }
  const none = { outcome: 'unreachable', sync: 'Unknown', errors: [] } as const
  const before: LastState = {
    ...{ ...none, isSeen: false, applications: [] },
    unreachable: sites.map(site => ({ site, since, ...why })),
  }
  const result: PassResult = {
    ...{ ...none, status: [], waiting: [], results: [] },
    unreachable: sites.map(resource => ({ ...why, resource, retry: 'backoff' })),
  }
  return () => stateAfter({ state: before, seenMs: 0 }, result, undefined, 1)
}

describe('very many sites that are not reached', () => {
  it('G17 G24 are each looked for once among those that were not reached before', async () => {
    const work = new Map([100, 1_000].map(count => [count, afterSilence(count)]))
    const first = work.get(100)?.()
    expect(first?.unreachable?.map(one => one.since)).to.deep.equal(Array(100).fill(since))
    expect(await growth(count => work.get(count)?.(), 100)).to.be.below(mostInProportion)
  })
})
