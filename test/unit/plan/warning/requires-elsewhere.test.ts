import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { application, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** A site of an environment whose shop requires a database that is on other sites. */
function site(tag: string, more: Partial<DesiredState> = { elsewhere: ['db'] }): DesiredState {
  const shop = application('shop', [service({ name: 'shop', tag })], { requires: ['db'] })
  return { ...desired(shop), ...more }
}

function warned(wanted: DesiredState, before: DesiredState): readonly string[] {
  return planOf({ desired: wanted, live: live(before) }).warnings.map(
    ({ message, code }) => `${message} (${code})`,
  )
}

describe('an application that requires one on other sites', () => {
  const db = application('db', [service({ name: 'db' })])
  const said = ['local: shop requires db, whose deployment does not mean this site (requires-elsewhere)']

  it('G11 G13 is warned of where it changes, and where the other one is about to leave', () => {
    expect(warned(site('2'), site('1')), 'it changes').to.deep.equal(said)
    const both = { ...site('1'), applications: [...site('1').applications, db] }
    expect(warned(site('1'), both), 'the other one leaves').to.deep.equal(said)
  })

  it('G11 says nothing where nothing changes, or where both are', () => {
    expect(warned(site('1'), site('1'))).to.deep.equal([])
    const both = { ...site('2', {}), applications: [...site('2').applications, db] }
    expect(warned(both, desired(db))).to.deep.equal([])
  })
})
