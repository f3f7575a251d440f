import { expect } from 'chai'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, names, rolling } from './scene.ts'

const countOf = (runs: string, version: string) => runs.split(' ').filter(one => one === version).length

describe('a rolling deployment', () => {
  it('A32 reaches two sites at a time, and goes on once they were healthy for the whole time', async () => {
    await using fleet = await Fleet.start(filesOf('1'))
    const first = await fleet.until('proving', 2)
    expect(countOf(fleet.runs(), '1')).to.equal(2)
    expect(first.sites).to.deep.equal({ done: 2, now: 0, toCome: 2 })
    fleet.nowMs += 15 * minute - 1
    await fleet.daemon.pass()
    expect(countOf(fleet.runs(), '1')).to.equal(2)
    fleet.nowMs += 1
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.nowMs += 15 * minute
    await fleet.until('done', 4)
  })

  it('A12 A32 brings the next version in the same way, while the other sites keep the one before', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2'))
    await fleet.until('proving', 2)
    expect([countOf(fleet.runs(), '2'), countOf(fleet.runs(), '1')]).to.deep.equal([2, 2])
  })

  it('A12 a revert in the middle brings back the sites that had gone on, and touches no other', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2'))
    await fleet.until('proving', 2)
    const untouched = names.filter(name => fleet.versionOn(name) === '1')
    const before = untouched.map(name => fleet.engines.get(name)?.done.length)
    fleet.commit(filesOf('1'))
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    expect(untouched.map(name => fleet.engines.get(name)?.done.length)).to.deep.equal(before)
  })

  it('X18 is approved once, for all of its sites: nobody is asked again when their turn comes', async () => {
    await using fleet = await Fleet.start(filesOf('1', rolling, {}))
    await waitUntil('all sites are asked about', async () => {
      await fleet.daemon.pass()
      return fleet.daemon.results()[0]?.waiting.length === 4
    })
    expect(fleet.runs()).to.equal('- - - - -')
    const [{ waiting }] = await fleet.daemon.ask('GET /api/v1/environments')
    await fleet.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    await fleet.until('proving', 2)
    const [after] = await fleet.daemon.ask('GET /api/v1/environments')
    expect(after.waiting).to.equal(undefined)
    // An approval of what may go at once would be over by then.
    fleet.nowMs += 29 * 24 * 60 * minute
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('A26 removes the application from a site that it no longer means, and nowhere else', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    const files = filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}')
    const text = String(files['deployments/shop-everywhere.yaml'])
    fleet.commit({
      ...files,
      'deployments/shop-everywhere.yaml': text.replace(
        'system/type = edge',
        'system/type = edge and not try',
      ),
    })
    await waitUntil('it is removed', async () => {
      await fleet.daemon.pass()
      return fleet.versionOn('c') === '-'
    })
    expect(fleet.runs()).to.equal('1 1 - 1 -')
  })
})

describe('a canary deployment', () => {
  const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'

  it('A31 X20 reaches the canary, and the others once the stage is approved', async () => {
    await using fleet = await Fleet.start(filesOf('1', canary))
    const { approve } = await fleet.until('waiting', 1)
    expect(fleet.runs()).to.equal('- - 1 - -')
    fleet.nowMs += 99 * minute
    await fleet.daemon.pass()
    expect(fleet.runs()).to.equal('- - 1 - -')
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })

  it('A33 a canary that fails ends it: the others keep what they have, and the reason says where and why', async () => {
    const atOnce = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'
    await using fleet = await Fleet.start(filesOf('1', atOnce))
    await fleet.until('proving', 1)
    fleet.nowMs += minute
    await fleet.until('done', 4)
    fleet.failing = 'c'
    fleet.commit(filesOf('2', atOnce))
    const { reason } = await fleet.until('aborted', 0)
    expect(reason).to.equal('failed on c: exited with code 1')
    await waitUntil('the other sites say so', async () => {
      const { left } = await fleet.status()
      return (
        left.map(({ site, reason }) => `${site} ${reason}`).join() ===
        'a aborted,b aborted,c failed,d aborted'
      )
    })
    expect(fleet.runs()).to.equal('1 1 1 1 -')
  })
})
