import { expect } from 'chai'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import {
  application,
  desired,
  live,
  type ServiceParts,
  service,
} from '../../../../support/builders/builders.ts'
import { applicationReleaseOf, planOf, releaseOf, targetOf } from '../../../../support/builders/planning.ts'

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

  const volume = (made: ServiceParts['made']) => ({
    tag: '1',
    exclusiveVolume: 'data',
    ...(made && { made }),
  })
  const plain = desired(volume(undefined))
  const bind = { type: 'none', o: 'bind', device: '/srv/payroll' }
  for (const [what, made] of [
    ['a bind', { driverOptions: bind }],
    ['another bind', { driverOptions: { ...bind, device: '/srv/wages' } }],
    ['a share', { driverOptions: { type: 'nfs', o: 'addr=10.0.0.1', device: ':/payroll' } }],
    ['another driver', { driver: 'rexray' }],
    ['another driver with options', { driver: 'rexray', driverOptions: { size: '10' } }],
  ] as const) {
    it(`D4 D18 G23 is another one for each way in which its volume may be made: ${what}`, () => {
      const others = [plain, desired(volume({ driverOptions: { ...bind, device: '/srv' } }))]
      const after = desired(volume(made))
      for (const other of others) {
        expect(releaseOf(after, 'web')).not.to.equal(releaseOf(other, 'web'))
        expect(applicationReleaseOf(after, 'web')).not.to.equal(applicationReleaseOf(other, 'web'))
        expect(targetOf(after, 'web')).to.equal(targetOf(other, 'web'))
      }
      expect(planOf({ desired: after, live: live(plain), applied: plain }).changes).to.deep.equal([])
    })

    it(`D4 D18 is another one for each way in which the volume of a hook may be made: ${what}`, () => {
      const hooked = (own: ServiceParts['made']) => {
        const web = service({ tag: '1', jobs: ['pre'] })
        const volumes = [{ name: 'data', application: 'web', ...own }]
        return desired(
          application('web', [{ ...web, jobs: web.jobs?.map(job => ({ ...job, volumes })) ?? [] }]),
        )
      }
      expect(releaseOf(hooked(made), 'web')).not.to.equal(releaseOf(hooked(undefined), 'web'))
    })
  }

  it('D18 is with a plain volume what it was before volumes were part of it, so that nothing lapses', () => {
    expect(releaseOf(plain, 'web')).to.equal('de0ccd87278bc5e4c9403333e42dce94')
    for (const made of [{ driver: 'local' }, { driverOptions: {} }])
      expect(releaseOf(desired(volume(made)), 'web')).to.equal(releaseOf(plain, 'web'))
  })

  it('D18 G5 G25 is still that which failed before volumes were part of it, however they are made', () => {
    const bound = desired(volume({ driverOptions: bind }))
    const held = (state: DesiredState, failed: DesiredState) => {
      const entry = { release: applicationReleaseOf(failed, 'web'), reason: 'failed', sinceMs: 1 }
      const quarantined = new Map([['local/web/web', entry]])
      return planOf({ desired: state, live: live(), rules: { quarantined } }).changes[0]?.held?.code
    }
    expect(held(bound, plain), 'a record from before').to.equal('quarantined')
    expect(held(bound, bound)).to.equal('quarantined')
    expect(held(bound, desired({ tag: '2', exclusiveVolume: 'data' })), 'another image').to.equal(undefined)
    const other = desired(volume({ driverOptions: { ...bind, device: '/srv' } }))
    expect(held(bound, other), 'a record of now').to.equal(undefined)
    expect(held(plain, bound), 'a record of now').to.equal(undefined)
  })

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
