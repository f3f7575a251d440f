import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { application, desired, live, service } from '../../../support/builders.ts'
import { applicationReleaseOf, planOf, releaseOf, targetOf } from '../../../support/planning.ts'

describe('a release', () => {
  const before = desired({ tag: '1', jobs: ['pre'] })
  const corrections: readonly (readonly [string, DesiredState])[] = [
    ['another hook', desired({ tag: '1', jobs: ['post'] })],
    ['no hook', desired({ tag: '1' })],
    ['another command of its hook', desired({ tag: '1', jobs: ['pre'], jobCommand: ['other'] })],
    ['another time limit', desired({ tag: '1', jobs: ['pre'], strategy: { timeoutMs: 600_000 } })],
    ['another healthy time', desired({ tag: '1', jobs: ['pre'], strategy: { healthyMs: 1 } })],
    ['a deadline', desired({ tag: '1', jobs: ['pre'], strategy: { deadlineMs: 900_000 } })],
    ['another way of replacing', desired({ tag: '1', jobs: ['pre'], strategy: { type: 'recreate' } })],
  ]
  for (const [what, after] of corrections) {
    it(`D18 is another one with ${what}`, () => {
      expect(releaseOf(after, 'web')).not.to.equal(releaseOf(before, 'web'))
      expect(applicationReleaseOf(after, 'web')).not.to.equal(applicationReleaseOf(before, 'web'))
    })

    it(`H5 D18 with ${what} alone is no reason for a rollout`, () => {
      expect(targetOf(after, 'web')).to.equal(targetOf(before, 'web'))
      expect(planOf({ desired: after, live: live(before), applied: before }).changes).to.deep.equal([])
    })
  }

  it('G3 is the same when the same is wanted again', () => {
    expect(releaseOf(desired({ tag: '1', jobs: ['pre'] }), 'web')).to.equal(releaseOf(before, 'web'))
  })

  it('D18 of an application is another one when any of its services is corrected, or what it requires', () => {
    const shop = (web: string, db: string, bus: string) =>
      desired(
        application('bus', [service({ name: 'bus', tag: bus })]),
        application('shop', [service({ name: 'web', tag: web }), service({ name: 'db', tag: db })], {
          requires: ['bus'],
        }),
      )
    const releases = [shop('1', '1', '1'), shop('2', '1', '1'), shop('1', '2', '1'), shop('1', '1', '2')].map(
      state => applicationReleaseOf(state, 'shop'),
    )
    expect(new Set(releases).size).to.equal(4)
    expect(releaseOf(shop('1', '1', '2'), 'bus')).not.to.equal(releaseOf(shop('1', '1', '1'), 'bus'))
    expect(releaseOf(shop('1', '2', '1'), 'shop'), 'of one service, others are no part').to.equal(
      releaseOf(shop('1', '1', '2'), 'shop'),
    )
  })
})
