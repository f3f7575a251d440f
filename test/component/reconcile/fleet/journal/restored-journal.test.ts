import { expect } from 'chai'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'
const atOnce = 'deploy-to-sites: {sites-in-parallel: 4}'

/** Lets the daemon look as often as it would for a change of every site. */
async function settle(fleet: Fleet): Promise<void> {
  for (let look = 0; look < 8; look += 1) await fleet.daemon.pass()
}

/** How many sites run a version. */
function countOf(fleet: Fleet, version: string): number {
  return fleet
    .runs()
    .split(' ')
    .filter(one => one === version).length
}

describe('a deployment whose state directory is restored from a backup', () => {
  it('A32 D17 G25 takes no site back to what the backup knows while it waits for its turn', async () => {
    await using fleet = await Fleet.start(filesOf('1', atOnce), sites, 'auto', true)
    await fleet.until('done', 4)
    const backup = fleet.kept.backUp()
    fleet.commit(filesOf('2', atOnce))
    await fleet.until('done', 4)
    fleet.commit(filesOf('3', oneByOne))
    await fleet.until('proving', 1)
    await fleet.restore(backup)
    await settle(fleet)
    const soonAfter = countOf(fleet, '3')
    expect(soonAfter).to.be.within(1, 2)
    expect(countOf(fleet, '2')).to.equal(4 - soonAfter)
    fleet.nowMs += 15 * minute - 1
    await settle(fleet)
    expect(countOf(fleet, '2')).to.equal(4 - soonAfter)
  })

  it('A32 D17 G25 heeds a site that was silent when the others were looked at', async () => {
    await using fleet = await Fleet.start(filesOf('1', atOnce), sites, 'auto', true)
    await fleet.until('done', 4)
    const backup = fleet.kept.backUp()
    fleet.commit(filesOf('2', atOnce))
    await fleet.until('done', 4)
    fleet.commit(filesOf('3', oneByOne))
    await fleet.until('proving', 1)
    const waiting = ['a', 'b', 'd'].find(site => fleet.versionOn(site) === '2') ?? ''
    fleet.silent = waiting
    await fleet.restore(backup)
    await settle(fleet)
    fleet.silent = ''
    await settle(fleet)
    expect(fleet.versionOn(waiting)).not.to.equal('1')
    expect(countOf(fleet, '1')).to.equal(0)
  })
})
