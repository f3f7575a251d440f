import { expect } from 'chai'
import type { Held } from '../../../../lib/plan/hold/held.ts'
import type { AwaitedTurn } from '../../../../lib/plan/hold/hold.ts'
import {
  application,
  desired,
  live,
  type ServiceParts,
  service,
  without,
} from '../../../support/builders/builders.ts'
import { planOf, type Situation } from '../../../support/builders/planning.ts'

const notItsTurn: Held = {
  code: 'not-its-turn',
  reason: 'waits for its turn in the deployment shop-everywhere',
  isQueued: true,
}

function shop(version: string, web: ServiceParts) {
  return desired(application('shop', [service({ ...web, name: 'web' })], { version }))
}

/** `web: replace`, or `web: waits` if its turn has not come, while version 1.1 is awaited here. */
function verdicts(situation: Situation, turn: Partial<AwaitedTurn> = {}): readonly string[] {
  const turns = new Map([['shop', { version: '1.1', held: notItsTurn, ...turn }]])
  return planOf({ ...situation, rules: { turns } }).changes.map(
    ({ service, action, held }) => `${service}: ${held === notItsTurn ? 'waits' : (held?.code ?? action)}`,
  )
}

describe('while the turn of a site has not come', () => {
  const before = shop('1.0', { tag: '1' })
  const after = shop('1.1', { tag: '2' })

  it('A32 the version that is awaited waits, the first installation too', () => {
    expect(verdicts({ desired: after, live: live(before), applied: before })).to.deep.equal(['web: waits'])
    expect(verdicts({ desired: after, live: live() })).to.deep.equal(['web: waits'])
  })

  it('A32 the version that is awaited waits where a first installation of another one was begun', () => {
    const { site, containers } = live(before)
    const begun = { site, containers: containers.map(one => ({ ...one, state: 'created' as const })) }
    expect(verdicts({ desired: after, live: begun, attempt: before })).to.deep.equal(['web: waits'])
  })

  it('A33 A60 the version that its deployment has given up waits for no window', () => {
    const stopped: Held = {
      code: 'deployment-stopped',
      reason: 'the deployment shop-everywhere failed on lab',
    }
    const closedWindow: Held = { code: 'window-closed', reason: 'waits for the upgrade window' }
    const codeWith = (turn: Partial<AwaitedTurn>) => {
      const turns = new Map([['shop', { version: '1.1', held: notItsTurn, ...turn }]])
      const situation = { desired: after, live: live(before), applied: before }
      return planOf({ ...situation, rules: { turns, closedWindow } }).changes.map(({ held }) => held?.code)
    }
    expect(codeWith({ held: stopped, isOver: true })).to.deep.equal(['deployment-stopped'])
    expect(codeWith({})).to.deep.equal(['window-closed'])
  })

  it('A12 another version than the one that is awaited does not wait', () => {
    expect(verdicts({ desired: before, live: live() })).to.deep.equal(['web: create'])
  })

  it('A11 a change without a new version takes effect at once where that version runs', () => {
    const corrected = shop('1.1', { tag: '2', env: { LOG: 'debug' } })
    expect(verdicts({ desired: corrected, live: live(after), applied: after })).to.deep.equal([
      'web: replace',
    ])
  })

  it('A11 a repair takes effect at once', () => {
    expect(verdicts({ desired: after, live: without(live(after), 'web.1'), applied: after })).to.deep.equal([
      'web: create',
    ])
  })

  it('G25 what was begun is brought to its end', () => {
    expect(verdicts({ desired: after, live: live(before), applied: before, attempt: after })).to.deep.equal([
      'web: replace',
    ])
  })

  it('A32 D18 what was begun, and put back since, waits like any other', () => {
    const situation = { desired: after, live: live(before), applied: before, attempt: after } as const
    expect(verdicts({ ...situation, phase: 'ended' })).to.deep.equal(['web: waits'])
  })

  describe('because its deployment is paused', () => {
    const paused: Held = { code: 'deployment-stopped', reason: 'paused by ann' }
    const same = { deployment: 'shop', version: '1.1', having: 4, sites: 4, isStepwise: true }
    const planned = (situation: Situation, held?: Held) =>
      planOf({
        ...situation,
        rules: { sameVersion: new Map([['shop', { ...same, ...(held && { held }) }]]) },
      })
    const codes = (situation: Situation) =>
      planned(situation, paused).changes.map(({ held, action }) => held?.code ?? action)
    const corrected = shop('1.1', { tag: '2', env: { LOG: 'debug' } })

    it('A11 A33 a change without a new version waits, also of what it adds or no longer has', () => {
      const situation = { desired: corrected, live: live(after), applied: after }
      expect(codes(situation)).to.deep.equal(['deployment-stopped'])
      const more = desired(
        application('shop', [service({ tag: '2', name: 'web' }), service({ tag: '2', name: 'api' })], {
          version: '1.1',
        }),
      )
      expect(codes({ desired: more, live: live(after), applied: after })).to.deep.equal([
        'deployment-stopped',
      ])
      expect(codes({ desired: after, live: live(more), applied: more })).to.deep.equal(['deployment-stopped'])
    })

    it('A11 a repair does not wait, nor what was begun', () => {
      const lost = { desired: after, live: without(live(after), 'web.1'), applied: after }
      expect(codes(lost)).to.deep.equal(['create'])
      const begun = { desired: corrected, live: live(after), applied: after, attempt: corrected }
      expect(codes(begun)).to.deep.equal(['replace'])
    })

    it('A11 G7 a change without a new version is warned of where new versions come stepwise, unless it waits', () => {
      const situation = { desired: corrected, live: live(after), applied: after }
      const warnings = (held?: Held) => planned(situation, held).warnings.map(({ code }) => code)
      expect(warnings()).to.deep.equal(['version-unchanged'])
      expect(warnings(paused)).to.deep.equal(['deployment-stopped'])
    })
  })

  describe('because its deployment has ended', () => {
    const begun = { desired: after, live: live(before), applied: before, attempt: after }

    it('A33 what was begun is not brought to its end', () => {
      expect(verdicts(begun, { isOver: true })).to.deep.equal(['web: waits'])
    })

    it('A33 A11 a change without a new version that was begun is', () => {
      const corrected = shop('1.1', { tag: '2', env: { LOG: 'debug' } })
      const same = { desired: corrected, live: live(after), applied: after }
      expect(verdicts(same, { isOver: true })).to.deep.equal(['web: replace'])
    })

    it('A33 H29 what nobody can take back after a mid hook is', () => {
      expect(verdicts({ ...begun, phase: 'failed', noReturn: true }, { isOver: true })).to.deep.equal([
        'web: replace',
      ])
    })
  })
})
