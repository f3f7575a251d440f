import { expect } from 'chai'
import { createNetwork } from '../../../../../lib/docker/steps/network/networks.ts'
import type { Network } from '../../../../../lib/state/application/network.ts'
import { identity } from '../../../../support/builders/builders.ts'
import { clientWith } from '../../answering.ts'

const gate: Network = { name: 'prod.gate', application: 'shop', mode: 'gate', pool: '10.201.0.0/25' }
const own: Network = { name: 'prod', application: 'shop' }
const chosen = ['10.201.0.0/26', '10.201.0.64/26']

/** An engine that refuses so many networks with these words before it makes one. */
function engineRefusing(times: number, message: string) {
  const asked: unknown[] = []
  const client = clientWith(async ({ method, path, body }) => {
    if (method === 'POST') asked.push(Object(body).IPAM?.Config[0].Subnet)
    const refuses = method === 'POST' && asked.length <= times
    return refuses || path === '/networks/prod' || path === '/networks/prod.gate'
      ? { ok: false, status: refuses ? 403 : 404, message: refuses ? message : 'not found' }
      : { ok: true, body: JSON.parse('[]') }
  })
  const create = (network: Network) =>
    createNetwork(
      client,
      { network },
      { ...identity('prod'), commit: 'c0ffee' },
      new AbortController().signal,
    )
  return { asked, create }
}

describe('a network whose subnet another one gets first', () => {
  for (const words of [
    'Pool overlaps with other one on this address space',
    'cannot create network 67530cb8f6ab (br-67530cb8f6ab): conflicts with network 23d77c21078a (br-23d77c21078a): networks have overlapping IPv4',
  ]) {
    it(`P12 gets the next one of its pool: ${words.slice(0, 40)}`, async () => {
      const { asked, create } = engineRefusing(1, words)
      await create(gate)
      expect(asked).to.deep.equal(chosen)
    })

    it(`G1 gets another one from the engine, which is asked three times at most: ${words.slice(0, 40)}`, async () => {
      const twice = engineRefusing(2, words)
      await twice.create(own)
      expect(twice.asked).to.have.lengthOf(3)
      const always = engineRefusing(9, words)
      const error = await always.create(own).catch(String)
      expect(error).to.include(words)
      expect(always.asked).to.have.lengthOf(3)
    })
  }

  it('D15 is not tried again for any other refusal', async () => {
    const words =
      'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network'
    const { asked, create } = engineRefusing(1, words)
    expect(await create(own).catch(String)).to.include(words)
    expect(asked).to.have.lengthOf(1)
  })
})
