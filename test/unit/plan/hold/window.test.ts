import { expect } from 'chai'
import type { Held } from '../../../../lib/plan/hold/held.ts'
import {
  application,
  changed,
  desired,
  live,
  type ServiceParts,
  service,
  without,
} from '../../../support/builders/builders.ts'
import { planOf, type Situation } from '../../../support/builders/planning.ts'

const closedWindow: Held = {
  code: 'window-closed',
  reason: 'waits for the upgrade window, which opens 2026-11-28 02:00 Europe/Stockholm',
  isQueued: true,
  untilMs: Date.parse('2026-11-28T01:00Z'),
}

/** An application with a web and a db service at a version. */
function shop(version: string | undefined, web: ServiceParts, db: ServiceParts = { tag: '5' }) {
  const services = [service({ ...web, name: 'web' }), service({ ...db, name: 'db' })]
  return desired(application('shop', services, version === undefined ? {} : { version }))
}

/** `web: replace`, or `web: waits` if that is for the window. */
function verdicts(situation: Situation): readonly string[] {
  return planOf({ ...situation, rules: { closedWindow, ...situation.rules } }).changes.map(
    ({ service, action, held }) =>
      `${service}: ${held === undefined ? action : held.code === 'window-closed' ? 'waits' : held.code}`,
  )
}

describe('while the upgrade window is closed', () => {
  const before = shop('1.0', { tag: '1' })
  const after = shop('1.1', { tag: '2' })

  it('A60 another version waits, and the change says until when', () => {
    const { changes } = planOf({
      desired: after,
      live: live(before),
      applied: before,
      rules: { closedWindow },
    })
    expect(changes.map(({ service, held }) => [service, held])).to.deep.equal([['web', closedWindow]])
  })

  it('A64 a first installation does not wait', () => {
    expect(verdicts({ desired: after, live: live() })).to.deep.equal(['db: create', 'web: create'])
  })

  it('A64 going back to an earlier version waits, also if a part of it is still there', () => {
    // The service that 1.1 left as it was bears the label of 1.0.
    const there = {
      ...live(after),
      containers: [
        ...live(before).containers.filter(({ service }) => service === 'db'),
        ...live(after).containers.filter(({ service }) => service === 'web'),
      ],
    }
    expect(verdicts({ desired: before, live: there, applied: after })).to.deep.equal(['web: waits'])
  })

  it('A11 a change without another version does not wait', () => {
    const corrected = shop('1.0', { tag: '1', env: { LOG: 'debug' } })
    expect(verdicts({ desired: corrected, live: live(before), applied: before })).to.deep.equal([
      'web: replace',
    ])
    const more = shop('1.0', { tag: '1', replicas: 2 })
    expect(verdicts({ desired: more, live: live(before), applied: before })).to.deep.equal(['web: create'])
  })

  it('A64 a repair does not wait', () => {
    expect(
      verdicts({ desired: before, live: without(live(before), 'web.1'), applied: before }),
    ).to.deep.equal(['web: create'])
    const unlabelled = changed(live(before), 'db.1', { version: '0.9', state: 'exited' })
    expect(verdicts({ desired: before, live: unlabelled, applied: before })).to.deep.equal(['db: start'])
  })

  it('A60 another version waits although nothing runs any more', () => {
    expect(verdicts({ desired: after, live: live(), applied: before })).to.deep.equal([
      'db: create',
      'web: waits',
    ])
  })

  it('X19 A60 an application without a version waits with another tag although nothing runs any more', () => {
    const [old, other] = [shop(undefined, { tag: '1' }), shop(undefined, { tag: '2' })]
    expect(verdicts({ desired: other, live: live(), applied: old })).to.deep.equal([
      'db: create',
      'web: waits',
    ])
    expect(verdicts({ desired: other, live: live() }), 'for the first time').to.deep.equal([
      'db: create',
      'web: create',
    ])
  })

  it('A60 what another version adds and removes waits with it', () => {
    const [old, renewed] = [
      desired(application('shop', [service({ name: 'web' }), service({ name: 'old' })], { version: '1.0' })),
      desired(application('shop', [service({ name: 'web' }), service({ name: 'new' })], { version: '1.1' })),
    ]
    expect(verdicts({ desired: renewed, live: live(old), applied: old })).to.deep.equal([
      'new: waits',
      'old: waits',
    ])
    expect(verdicts({ desired: desired({ name: 'other' }), live: live(old), applied: old })).to.deep.equal([
      'other: create',
      'old: remove',
      'web: remove',
    ])
  })

  it('A62 an upgrade that has begun goes on', () => {
    expect(
      verdicts({ desired: after, live: live(before), applied: before, attempt: after }),
      'its process ended',
    ).to.deep.equal(['web: replace'])
    const both = shop('1.1', { tag: '2' }, { tag: '6' })
    const half = shop('1.1', { tag: '2' }, { tag: '5' })
    const there = {
      ...live(half),
      containers: live(half).containers.map(one => (one.service === 'db' ? { ...one, version: '1.0' } : one)),
    }
    expect(verdicts({ desired: both, live: there, applied: before }), 'one service is done').to.deep.equal([
      'db: replace',
    ])
  })

  it('X19 applications without a version wait with other tags of their images', () => {
    const [old, other] = [shop(undefined, { tag: '1' }), shop(undefined, { tag: '2' })]
    expect(verdicts({ desired: other, live: live(old), applied: old })).to.deep.equal(['web: waits'])
    const corrected = shop(undefined, { tag: '1', env: { LOG: 'debug' } })
    expect(verdicts({ desired: corrected, live: live(old), applied: old })).to.deep.equal(['web: replace'])
    const [two, next] = [shop(undefined, { tags: ['1', '2'] }), shop(undefined, { tags: ['2', '3'] })]
    expect(verdicts({ desired: next, live: live(two), applied: two }), 'one of two tags').to.deep.equal([
      'web: waits',
    ])
  })

  it('H29 a correction of what left nothing running does not wait', () => {
    expect(
      verdicts({
        desired: shop('1.2', { tag: '3' }),
        live: live(),
        applied: before,
        attempt: after,
        noReturn: true,
      }),
    ).to.deep.equal(['db: create', 'web: create'])
  })

  it('G14 what is suspended is called that', () => {
    const suspended = new Map([['*', { reason: 'stocktaking', sinceMs: 1 }]])
    expect(
      verdicts({ desired: after, live: live(before), applied: before, rules: { suspended } }),
    ).to.deep.equal(['web: suspended'])
  })

  it('G11 X18 what requires an application that waits, waits too, and is asked about at once', () => {
    const state = (version: string, tag: string) =>
      desired(
        application('db', [service({ name: 'db', tag })], { version }),
        application('web', [service({ name: 'web', tag })], { requires: ['db'], version: '7' }),
        application('page', [service({ name: 'page', tag })], { requires: ['web'], version: '7' }),
      )
    const [old, wanted] = [state('1.0', '1'), state('1.1', '2')]
    const { changes } = planOf({ desired: wanted, live: live(old), applied: old, rules: { closedWindow } })
    expect(changes.map(({ held }) => held?.isQueued)).to.deep.equal([true, true, true])
    expect(changes.map(({ service, held }) => `${service}: ${held?.code}, ${held?.reason}`)).to.deep.equal([
      `db: window-closed, ${closedWindow.reason}`,
      'web: dependency-held, requires db, which cannot be changed now',
      'page: dependency-held, requires web, which cannot be changed now',
    ])
  })

  it('A42 a service that a new version left as it was does not stand for the version before', () => {
    const paths = [
      {
        fromPattern: '^1\\.1$',
        method: 'per-service',
        services: { web: service().strategy, db: service().strategy },
      },
    ] as const
    const [app] = shop('1.2', { tag: '3' }).applications
    if (app === undefined) throw new Error('there is one')
    const there = {
      ...live(after),
      containers: live(after).containers.map(one =>
        one.service === 'db' ? { ...one, version: '1.0' } : one,
      ),
    }
    const { changes } = planOf({ desired: desired({ ...app, upgrades: paths }), live: there, applied: after })
    expect(changes.map(({ service, held }) => [service, held?.code])).to.deep.equal([['web', undefined]])
  })
})
