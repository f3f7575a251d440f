import { expect } from 'chai'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { gateOf } from '../../../../lib/state/application/ingress/route.ts'
import { application, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `app-${index}`)

/** Applications with a network each, or with a gate each out of a range. */
function apps(count: number, pool?: string): DesiredState {
  return desired(
    ...names(count).map(name =>
      pool === undefined
        ? { name, network: `prod.${name}` }
        : application(name, [
            {
              ...service({ name }),
              traffic: { role: 'backend', gate: gateOf('prod', name, name, pool), routes: [] },
            },
          ]),
    ),
  )
}

function told(wanted: DesiredState, before = live(), networks: readonly string[] = ['prod']) {
  return planOf({ desired: wanted, live: before, networks }).warnings.map(
    ({ code, message }) => `${message} (${code})`,
  )
}

describe('addresses for networks', () => {
  it('D15 are told to be few before more networks are made than an engine usually has them for', () => {
    expect(told(apps(30))).to.deep.equal([])
    expect(told(apps(31))).to.deep.equal([
      'the plan needs 31 networks, but an engine with the default address pools has addresses for 30: applications that get no network are left out (address-pool-small)',
    ])
  })

  it('D15 are told to be few in the range of the ingress, which is known', () => {
    expect(told(apps(4, '10.201.0.0/24'))).to.deep.equal([])
    expect(told(apps(5, '10.201.0.0/24'))).to.deep.equal([
      'the plan needs 5 networks, but 10.201.0.0/24, "subnets" of the ingress, has addresses for 4: applications that get no network are left out (address-pool-small)',
    ])
  })

  it('say nothing once all networks are there', () => {
    const there = names(31).map(name => `prod.${name}`)
    expect(told(apps(31), live(), there)).to.deep.equal([])
  })
})
