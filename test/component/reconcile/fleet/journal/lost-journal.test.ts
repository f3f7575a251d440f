import { expect } from 'chai'
import { Fleet, filesOf, minute } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'
const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'
const atOnce = 'deploy-to-sites: {sites-in-parallel: 4}'

const countOf = (fleet: Fleet, version: string) =>
  fleet
    .runs()
    .split(' ')
    .filter(one => one === version).length

/** Version 1 is everywhere, and version 2 is on its way by a strategy. */
async function onItsWay(strategy: string): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', atOnce))
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', strategy))
  return fleet
}

/** Lets the daemon look as often as it would for a change of every site. */
async function settle(fleet: Fleet): Promise<void> {
  for (let look = 0; look < 8; look += 1) await fleet.daemon.pass()
}

describe('a deployment whose state directory is lost in the middle', () => {
  it('A32 G25 goes on one site at a time, and not on all of them at once', async () => {
    await using fleet = await onItsWay(oneByOne)
    await fleet.until('proving', 1)
    await fleet.loseJournal()
    await settle(fleet)
    const soonAfter = countOf(fleet, '2')
    expect(soonAfter).to.be.within(1, 2)
    fleet.nowMs += 15 * minute - 1
    await settle(fleet)
    expect(countOf(fleet, '2')).to.equal(soonAfter)
    expect(countOf(fleet, '1')).to.equal(4 - soonAfter)
  })

  it('A34 counts the sites that have the version already, once it has looked at them', async () => {
    await using fleet = await onItsWay(oneByOne)
    await fleet.until('proving', 1)
    await fleet.loseJournal()
    await settle(fleet)
    const { sites } = await fleet.status()
    expect(sites.done).to.equal(countOf(fleet, '2'))
  })

  it('A31 X20 asks again whether the others may follow the canaries', async () => {
    await using fleet = await onItsWay(canary)
    const before = await fleet.until('waiting', 1)
    await fleet.loseJournal()
    const { approve } = await fleet.until('waiting', 1)
    expect(approve).not.to.equal(before.approve)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })

  it('A33 tries a version that failed again on its canaries, and nowhere else', async () => {
    await using fleet = await Fleet.start(filesOf('1', atOnce))
    await fleet.until('done', 4)
    fleet.failing = 'c'
    fleet.commit(filesOf('2', canary))
    await fleet.until('aborted', 0)
    await fleet.loseJournal()
    fleet.failing = 'c'
    await fleet.until('aborted', 0)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })
})
