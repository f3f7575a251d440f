import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf } from '../scene.ts'

describe('a site that somebody has left out of a version', () => {
  it('A66 G13 holds nobody: the deployment is done on the others, and counts it as left out', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 1m}'))
    await fleet.until('proving', 1)
    const [site = ''] = fleet.sitesWith('1')
    await fleet.daemon.ask('POST /api/v1/delete-upgrade', { application: 'shop', site: [site], who: 'ann' })
    await waitUntil('all others have it', async () => {
      fleet.nowMs += 60_000
      await fleet.daemon.pass()
      return fleet.sitesWith('2').length === 3 && (await fleet.status()).state === 'done'
    })
    const { sites, left } = await fleet.status()
    expect(sites).to.deep.equal({ done: 3, now: 0, toCome: 0, leftOut: 1 })
    expect(left.map(one => [one.site, one.code])).to.deep.equal([[site, 'upgrade-deleted']])
    expect(fleet.versionOn(site)).to.equal('1')
  })
})
