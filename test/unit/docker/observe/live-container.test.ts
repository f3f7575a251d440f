import { expect } from 'chai'
import {
  hasGivenAddress,
  type ListedContainer,
  toLiveContainer,
} from '../../../../lib/docker/observe/live-container.ts'

const digest = `sha256:${'a'.repeat(64)}`

const labels = {
  'tallyman.environment': 'prod',
  'tallyman.source': 'https://git.example.com/ops/manifests',
  'tallyman.application': 'shop',
  'tallyman.service': 'web',
  'tallyman.instance': '2',
  'tallyman.container': 'web',
  'tallyman.role': 'app',
  'tallyman.version': '1.4.0',
  'tallyman.fingerprint': 'v1:0123abcd',
  'tallyman.image': 'registry.example.com/team/web:1.4.0',
  'tallyman.digest': digest,
  'tallyman.commit': 'c0ffee',
}

const listed: ListedContainer = {
  Id: 'f00d',
  Names: ['/prod.web.2.0123abcd'],
  Image: `registry.example.com/team/web@${digest}`,
  State: 'running',
  Status: 'Up 5 minutes (healthy)',
  Labels: labels,
  NetworkSettings: { Networks: { prod: {}, bridge: {} } },
}

describe('toLiveContainer', () => {
  it('G2 reads a container of ours from one entry of the list', () => {
    expect(toLiveContainer(listed)).to.deep.equal({
      id: 'f00d',
      engineName: 'prod.web.2.0123abcd',
      state: 'running',
      health: 'healthy',
      status: 'Up 5 minutes (healthy)',
      networks: ['bridge', 'prod'],
      engineDigest: digest,
      application: 'shop',
      service: 'web',
      instance: 2,
      container: 'web',
      role: 'app',
      version: '1.4.0',
      fingerprint: 'v1:0123abcd',
      image: 'registry.example.com/team/web:1.4.0',
      digest,
      commit: 'c0ffee',
    })
  })

  it('D17 reads what a journal counted before it was made', () => {
    const counted = { ...listed, Labels: { ...labels, 'tallyman.record': 'f00d 7 edge-1' } }
    expect(toLiveContainer(counted)).to.deep.equal({ ...toLiveContainer(listed), record: 'f00d 7 edge-1' })
  })

  for (const [status, health, exitCode] of [
    ['Up 3 seconds', 'none', undefined],
    ['Up 3 seconds (health: starting)', 'starting', undefined],
    ['Up About an hour (healthy)', 'healthy', undefined],
    ['Up 2 weeks (unhealthy)', 'unhealthy', undefined],
    ['Up 2 weeks (Paused)', 'none', undefined],
    ['Exited (0) 4 days ago', 'none', 0],
    ['Exited (137) Less than a second ago', 'none', 137],
    ['Restarting (1) 3 seconds ago', 'none', undefined],
    ['Created', 'none', undefined],
    ['Removal In Progress', 'none', undefined],
  ] as const) {
    it(`reads health and exit code out of "${status}"`, () => {
      const live = toLiveContainer({ ...listed, Status: status })
      expect({ health: live?.health, exitCode: live?.exitCode }).to.deep.equal({ health, exitCode })
    })
  }

  it('E26 says no engine digest where the engine shows a tag or an image id', () => {
    for (const Image of ['registry.example.com/team/web:1.4.0', digest, 'a1b2c3'])
      expect(toLiveContainer({ ...listed, Image })).not.to.have.property('engineDigest')
  })

  it('takes its own name where links gave it others', () => {
    const live = toLiveContainer({ ...listed, Names: ['/other/alias', '/prod.web.2.0123abcd'] })
    expect(live?.engineName).to.equal('prod.web.2.0123abcd')
  })

  it('has no version where the label is missing', () => {
    const { 'tallyman.version': _, ...rest } = labels
    expect(toLiveContainer({ ...listed, Labels: rest })).not.to.have.property('version')
  })

  for (const [what, broken] of [
    ['no labels', null],
    ['no instance', { ...labels, 'tallyman.instance': '' }],
    ['an instance that is no number', { ...labels, 'tallyman.instance': 'two' }],
    ['an instance below 1', { ...labels, 'tallyman.instance': '0' }],
    ['a role nobody knows', { ...labels, 'tallyman.role': 'king' }],
    ['no fingerprint', { ...labels, 'tallyman.fingerprint': '' }],
  ] as const) {
    it(`G10 leaves alone what bears ${what}`, () => {
      expect(toLiveContainer({ ...listed, Labels: broken })).to.equal(undefined)
    })
  }

  for (const role of ['app', 'sandbox', 'init', 'hook', 'deploy', 'test'])
    it(`reads what it is for: ${role}`, () => {
      const live = toLiveContainer({ ...listed, Labels: { ...labels, 'tallyman.role': role } })
      expect(live?.role).to.equal(role)
    })

  it('lives without network settings', () => {
    expect(toLiveContainer({ ...listed, NetworkSettings: null })?.networks).to.deep.equal([])
  })
})

describe('hasGivenAddress', () => {
  const attached = (...endpoints: readonly object[]): ListedContainer => ({
    ...listed,
    NetworkSettings: { Networks: Object.fromEntries(endpoints.entries()) },
  })

  it('P12 knows what was once drained by the address it was given', () => {
    expect(hasGivenAddress(attached({}, { IPAMConfig: { IPv4Address: '10.201.0.2' } }))).to.equal(true)
    expect(hasGivenAddress(attached({ IPAMConfig: null }, { IPAMConfig: {} }))).to.equal(false)
    expect(hasGivenAddress({ ...listed, NetworkSettings: null })).to.equal(false)
  })
})
