import { expect } from 'chai'
import { blockDependents } from '../../../../lib/spec/build/requires.ts'
import type { Blocked } from '../../../../lib/state/application/desired.ts'
import { app, check } from './required.ts'

describe('requirements between applications', () => {
  it('G11 leaves alone what is met', () => {
    expect(
      check([app('db', '1.2.3'), app('web', '1.0.0', { db: '^1.2.0' }), app('any', undefined, { web: '*' })]),
    ).to.deep.equal({
      applications: ['db', 'web', 'any'],
      blocked: [],
    })
  })

  it('needs no version for any version', () => {
    expect(check([app('db'), app('web', '1.0.0', { db: '*' })]).blocked).to.deep.equal([])
  })

  it('G11 blocks what requires an application that is missing or has another version', () => {
    const found = check([
      app('old', '1.9.0'),
      app('odd', '1.0'),
      app('bare'),
      app('a', '1.0.0', { old: '^2.0.0' }),
      app('b', '1.0.0', { gone: '*' }),
      app('c', '1.0.0', { bare: '^1.0.0' }),
      app('d', '1.0.0', { odd: '^1.0.0' }),
    ])
    expect(found.applications).to.deep.equal(['old', 'odd', 'bare'])
    expect(found.blocked).to.deep.equal([
      'a requires old ^2.0.0, which is 1.9.0 (requires-unsatisfied)',
      'b requires gone, which neither the manifest nor a deployment names (requires-unsatisfied)',
      'c requires bare ^1.0.0, which has no version (requires-unsatisfied)',
      'd requires odd ^1.0.0, whose version 1.0 is no semantic version (requires-unsatisfied)',
    ])
  })

  it('D15 blocks what requires a blocked application, all the way up, and says why', () => {
    const broken: Blocked = {
      application: 'db',
      problems: [{ code: 'image-not-found', message: 'db:1 is not in the registry' }],
    }
    const found = check(
      [app('front', '1.0.0', { web: '*' }), app('web', '1.0.0', { db: '*' }), app('free')],
      [broken],
    )
    expect(found.applications).to.deep.equal(['free'])
    expect(found.blocked).to.deep.equal([
      'db:1 is not in the registry (image-not-found)',
      'web requires db, which is blocked: db:1 is not in the registry (requires-unsatisfied)',
      'front requires web, which is blocked (requires-unsatisfied)',
    ])
  })

  it('G13 D15 says where what blocks the other one is, and to correct that, all the way up', () => {
    const position = { file: 'applications/db.yaml', line: 3, column: 7 }
    const broken: Blocked = {
      application: 'db',
      problems: [{ code: 'name-mismatch', message: '/services must not be empty', position }],
    }
    const applications = [app('front', '1.0.0', { web: '*' }), app('web', '1.0.0', { db: '*' })]
    const { blocked } = blockDependents({ applications, blocked: [broken] }, undefined)
    expect(blocked.slice(1).flatMap(({ problems }) => problems)).to.deep.equal([
      {
        code: 'requires-unsatisfied',
        message: 'web requires db, which is blocked: applications/db.yaml:3:7: /services must not be empty',
        hint: 'Correct what blocks db, which has an error of its own.',
      },
      {
        code: 'requires-unsatisfied',
        message: 'front requires web, which is blocked',
        hint: 'Correct what blocks web, which has an error of its own.',
      },
    ])
  })

  it('G11 refuses a circle and names it', () => {
    const found = check([
      app('x', '1.0.0', { a: '*' }),
      app('a', '1.0.0', { b: '*' }),
      app('b', '1.0.0', { c: '*' }),
      app('c', '1.0.0', { a: '*' }),
      app('self', '1.0.0', { self: '*' }),
      app('free'),
    ])
    expect(found.applications).to.deep.equal(['free'])
    expect(found.blocked).to.deep.equal([
      'a requires itself in a circle: a → b → c → a (requires-cycle)',
      'b requires itself in a circle: b → c → a → b (requires-cycle)',
      'c requires itself in a circle: c → a → b → c (requires-cycle)',
      'self requires itself in a circle: self → self (requires-cycle)',
      'x requires a, which is blocked: a requires itself in a circle: a → b → c → a (requires-unsatisfied)',
    ])
  })

  it('does nothing more when done again', () => {
    const state = { applications: [app('web', '1.0.0', { db: '*' })], blocked: [] }
    const once = blockDependents(state, undefined)
    expect(blockDependents(once, undefined)).to.equal(once)
  })
})
