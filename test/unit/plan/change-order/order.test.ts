import { expect } from 'chai'
import { application, changed, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf, type Situation } from '../../../support/builders/planning.ts'

/** `local/web/web after local/api/api`, with a question mark where that one only has to have ended. */
function ordered(situation: Situation): readonly string[] {
  return planOf(situation).changes.map(({ service, after }) =>
    after.length === 0
      ? service
      : `${service} after ${after.map(({ key, must }) => `${key.split('/').at(-1)}${must === 'end' ? '?' : ''}`).join(', ')}`,
  )
}

describe('the order of changes', () => {
  const shop = (tag: string) =>
    desired(
      application('a-web', [service({ name: 'a-web', tag })], { requires: ['b-api'] }),
      application('b-api', [service({ name: 'b-api', tag })], { requires: ['c-db'] }),
      application('c-db', [service({ name: 'c-db', tag })]),
    )

  it('G11 puts dependencies first, when they are created and when they are updated', () => {
    const expected = ['c-db', 'b-api after c-db', 'a-web after b-api']
    expect(ordered({ desired: shop('1'), live: live() })).to.deep.equal(expected)
    expect(ordered({ desired: shop('2'), live: live(shop('1')) })).to.deep.equal(expected)
  })

  it('G11 waits only for what changes', () => {
    const one = changed(live(shop('1')), 'a-web.1', { state: 'exited', exitCode: 1 })
    expect(ordered({ desired: shop('1'), live: one })).to.deep.equal(['a-web'])
  })

  it('G11 lets what has nothing to do with each other run side by side', () => {
    expect(ordered({ desired: desired({ name: 'b' }, { name: 'a' }), live: live() })).to.deep.equal([
      'a',
      'b',
    ])
  })

  it('D3 removes last, once everything else has ended, however it ended', () => {
    const before = live(desired({ name: 'aa' }, { name: 'web' }))
    expect(ordered({ desired: desired({ name: 'web', tag: '2' }), live: before })).to.deep.equal([
      'web',
      'aa after web?',
    ])
  })

  describe('and networks', () => {
    const before = live(desired({ name: 'web', network: 'prod.web' }, { name: 'old', network: 'prod.old' }))
    const wanted = desired({ name: 'web', network: 'prod.web' })
    const networks = ['prod', 'prod.web', 'prod.old']

    it('X14 removes a network after its last user', () => {
      expect(ordered({ desired: wanted, live: before, networks })).to.deep.equal([
        'old',
        'network prod',
        'network prod.old after old',
      ])
    })

    it('X14 keeps a network whose user stays, against the manifest', () => {
      expect(ordered({ desired: wanted, live: before, networks, rules: { prune: 'never' } })).to.deep.equal([
        'old',
        'network prod',
      ])
    })

    it('D15 keeps all of them while an application is blocked or undecided, or nothing is wanted', () => {
      const blocked = [
        { application: 'new', problems: [{ code: 'image-not-found', message: 'no' }] },
      ] as const
      const undecided = desired({
        name: 'web',
        network: 'prod.web',
        tag: '2',
        pin: { state: 'unknown', reason: 'no answer' },
      })
      expect(ordered({ desired: { ...wanted, blocked }, live: before, networks })).to.deep.equal(['old'])
      expect(ordered({ desired: undecided, live: before, networks })).to.deep.equal(['old'])
      expect(ordered({ desired: desired(), live: before, networks })).to.deep.equal(['old', 'web'])
    })

    it('D3 counts as a removal by omission as soon as one of its users is', () => {
      const shared = live(desired({ name: 'web', network: 'shared' }, { name: 'old', network: 'shared' }))
      const { changes } = planOf({ desired: wanted, live: shared, networks: ['shared', 'prod.web'] })
      expect(changes.map(({ service, cause }) => `${service} ${cause}`)).to.deep.equal([
        'web diverged',
        'old orphaned',
        'network shared orphaned',
      ])
    })
  })
})
