import { expect } from 'chai'
import { freeSubnets } from '../../../../../lib/docker/steps/network/subnet.ts'

describe('freeSubnets', () => {
  const free = (pool: string, ...taken: readonly string[]) => [...freeSubnets(pool, taken)]

  it('P12 offers the subnets of a pool in order, 64 addresses each', () => {
    expect(free('10.201.0.0/24')).to.deep.equal([
      '10.201.0.0/26',
      '10.201.0.64/26',
      '10.201.0.128/26',
      '10.201.0.192/26',
    ])
    expect(free('10.201.0.0/16')).to.have.length(1024)
  })

  it('P12 leaves out what overlaps another network: equal, larger, smaller', () => {
    expect(free('10.201.0.0/24', '10.201.0.64/26')).to.deep.equal([
      '10.201.0.0/26',
      '10.201.0.128/26',
      '10.201.0.192/26',
    ])
    expect(free('10.201.0.0/24', '10.201.0.0/25', '10.201.0.200/30')).to.deep.equal(['10.201.0.128/26'])
    expect(free('10.201.0.0/24', '10.0.0.0/8')).to.deep.equal([])
  })

  it('passes by what is of no matter: networks elsewhere, and such with other addresses', () => {
    expect(free('10.201.0.0/26', '172.17.0.0/16', '10.201.0.64/26', 'fd00::/64', '')).to.deep.equal([
      '10.201.0.0/26',
    ])
  })

  it('begins at the first address of a pool that is written with another', () => {
    expect(free('10.201.0.77/25')).to.deep.equal(['10.201.0.0/26', '10.201.0.64/26'])
  })

  it('reaches the end of the addresses', () => {
    expect(free('255.255.255.128/25')).to.deep.equal(['255.255.255.128/26', '255.255.255.192/26'])
  })

  it('has none where the pool is too small', () => {
    expect(free('10.201.0.0/27')).to.deep.equal([])
  })
})
