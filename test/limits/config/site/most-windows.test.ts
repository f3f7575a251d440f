import { expect } from 'chai'
import { stringify } from 'yaml'
import { checkConfig } from '../../../../lib/config.ts'

describe('the windows of a site in tallyman.yaml', () => {
  it('G24 are at most so many that deciding takes no time', () => {
    const windows = Array.from({ length: 1_000 }, () => ({ startTime: '02:00', duration: '3h' }))
    const site = { name: 'local', timezone: 'Europe/Stockholm', windows }
    const file = stringify({ repository: { url: '/srv/manifests' }, sites: [site] })
    expect(checkConfig('tallyman.yaml', file).problems.map(({ message }) => message)).to.deep.equal([
      '/sites/0/windows: has 1000 windows; a party has at most 32',
    ])
  })
})
