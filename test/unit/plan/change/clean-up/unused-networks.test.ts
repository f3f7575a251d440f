import { expect } from 'chai'
import { forSwarm } from '../../../../../lib/resolve/swarm/for-swarm.ts'
import { desired, live } from '../../../../support/builders/builders.ts'
import { planOf } from '../../../../support/builders/planning.ts'
import { built } from '../../../spec/built.ts'

const usual = { endpoint: 'vip', publish: 'ingress' } as const

/** A service with so many instances, on two networks. */
const shop = (web: number) =>
  built(`
name: shop
services:
  - name: web
    replicas: ${web}
    network: {outbound-access: {allow-all: true}}
    containers: [{name: web, image: web}]
`).application
const other = { name: 'other' }

describe('networks that nothing is on', () => {
  const [one, none] = [desired(shop(1), other), desired(shop(0), other)]
  const ofHost = ['prod', 'prod.shop', 'prod.shop.outbound']
  const ofSwarm = ['prod__default', 'prod_shop', 'prod_shop_outbound']
  for (const [where, shaped, networks] of [
    ['a host', (state: typeof one) => state, ofHost],
    ['a Swarm', (state: typeof one) => forSwarm(state, usual), ofSwarm],
  ] as const) {
    const removed = (to: typeof one) => {
      const seen = { networks, live: live(shaped(one)), applied: shaped(one) }
      const { changes } = planOf({ ...seen, desired: shaped(to) })
      return changes.map(({ service }) => service).filter(name => name.startsWith('network'))
    }

    it(`A5 stay on ${where} as long as their application is wanted, also without instances`, () => {
      expect(removed(none)).to.deep.equal([])
      expect(removed(desired(other))).to.have.members(networks.slice(1).map(name => `network ${name}`))
    })
  }
})
