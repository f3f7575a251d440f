import { expect } from 'chai'
import { hasDriver, isFitFor, type SwarmNode } from '../../../../lib/state/running/swarm-node.ts'

const node: SwarmNode = {
  ...{ id: 'a1', isDrained: false, platform: 'linux/amd64', drivers: ['local', 'nfs:latest', 'csi:2'] },
  labels: new Map([
    ['disk', 'SSD'],
    ['zone', ''],
  ]),
}

const meets = (constraint: string) => isFitFor(node, { constraints: [constraint] })

describe('what a node of a Swarm can do', () => {
  it('G13 is judged as the Swarm does: by labels without the case of values, and by its id', () => {
    const met = [
      'node.labels.disk==ssd',
      'node.labels.disk==Ssd',
      'node.labels.disk!=hdd',
      'node.id==a1',
      'node.id!=b2',
    ]
    expect(met.filter(one => !meets(one))).to.deep.equal([])
    const unmet = ['node.labels.disk==hdd', 'node.labels.disk!=ssd', 'node.labels.Disk==ssd', 'node.id==b2']
    expect(unmet.filter(meets)).to.deep.equal([])
    expect(meets('node.labels.constructor==x'), 'no label').to.equal(false)
    expect(meets('node.labels.constructor!=x'), 'no label is another value').to.equal(true)
    expect(isFitFor(node, { constraints: ['node.labels.disk==ssd', 'node.id==b2'] }), 'all of them').to.equal(
      false,
    )
  })

  it('G13 depends on its platform, of which no node tells the variant, where it tells any', () => {
    expect(isFitFor(node, { platform: 'linux/amd64' })).to.equal(true)
    expect(isFitFor(node, { platform: 'linux/arm64' })).to.equal(false)
    expect(isFitFor({ ...node, platform: 'linux/arm' }, { platform: 'linux/arm/v6' })).to.equal(true)
    expect(isFitFor({ ...node, platform: 'linux/arm/v7' }, { platform: 'linux/arm/v6' })).to.equal(true)
    const { platform: _, ...silent } = node
    expect(isFitFor(silent, { platform: 'linux/arm64' })).to.equal(true)
  })

  it('G13 depends on its drivers, by name with or without the tag "latest", where it tells any', () => {
    const asked = ['local', 'nfs', 'nfs:latest', 'csi', 'csi:2']
    expect(asked.filter(driver => !hasDriver(node, driver))).to.deep.equal(['csi'])
    const { drivers: _, ...silent } = node
    expect(hasDriver(silent, 'csi')).to.equal(true)
  })
})
