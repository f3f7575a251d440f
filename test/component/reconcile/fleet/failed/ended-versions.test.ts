import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { refused } from '../../../../support/failures/refused.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m}'

/** A specification of `shop` with a version of its own, which may follow what a pattern matches; absent: any. */
function specified(version: string, from?: string, strategy = canary): Files {
  const paths =
    from === undefined ? [] : ['upgrade-from:', `  - {version-regexp: '${from}', method: stop-and-restart}`]
  return {
    ...filesOf(version, strategy),
    'applications/shop.yaml': [
      'name: shop',
      `version: "${version}"`,
      'services:',
      `- {name: shop, containers: [{name: shop, image: "shop:${version}"}]}`,
      ...paths,
    ].join('\n'),
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'shop' }],
      skipConfirmation: true,
    }),
  }
}

/** Open every day from 02:00 to 03:00; the fleet begins shortly after midnight. */
const windows = {
  provider: [{ days: [], startMinutes: 120, zone: 'UTC', durationMs: 60 * minute }],
  owner: [],
}

/** Version 1 is everywhere, `a` and `b` are closed, and the canary proves version 2. */
async function proving(): Promise<Fleet> {
  const all = sites.map(site => (site.name < 'c' ? { ...site, windows } : site))
  const fleet = await Fleet.start(specified('1'), all)
  await proves(fleet, 'done', 4)
  fleet.commit(specified('2'))
  await fleet.until('proving', 1)
  await fleet.daemon.pass()
  return fleet
}

/** Waits until the canary has proved a version, and then until that is so. */
async function proves(fleet: Fleet, state: string, done: number): Promise<void> {
  await fleet.until('proving', 1)
  fleet.nowMs += minute
  await fleet.until(state, done)
}

async function failsOnCanary(fleet: Fleet): Promise<void> {
  fleet.crash('c')
  await fleet.until('aborted', 1)
}

const force = (fleet: Fleet, site = 'a', version = '2') =>
  fleet.daemon.ask('POST /api/v1/force-upgrade', { application: 'shop', version, site: [site] })

const forced = (fleet: Fleet) => sites.flatMap(({ name }) => fleet.journal.queueWords('prod', name))

describe('a version that failed or was aborted in its deployment', () => {
  it('A33 A66 is forced no longer on any site, and its correction waits for the window there', async () => {
    await using fleet = await proving()
    await force(fleet)
    await failsOnCanary(fleet)
    expect(forced(fleet)).to.deep.equal([])
    fleet.commit(specified('3'))
    await proves(fleet, 'waiting', 2)
    expect(fleet.runs()).to.equal('1 1 3 3 -')
  })

  it('A33 A66 G13 cannot be forced afterwards, also once another one is wanted', async () => {
    await using fleet = await proving()
    await failsOnCanary(fleet)
    const reason = 'deployment-stopped: shop 2 failed on c, so its deployment brings it to no other site'
    expect(await refused(force(fleet))).to.equal(reason)
    expect((await failureOf(force(fleet))).hint).to.equal(
      'Correct the version with a commit, revert it, or run "tallyman resume shop-everywhere" to go on with it.',
    )
    fleet.commit(specified('3'))
    await proves(fleet, 'waiting', 2)
    expect(await refused(force(fleet))).to.equal(reason)
    expect([forced(fleet), fleet.runs()]).to.deep.equal([[], '1 1 3 3 -'])
  })

  it('A33 A65 is no step on another site, also where no other way leads on', async () => {
    await using fleet = await proving()
    await failsOnCanary(fleet)
    fleet.commit(specified('3', '^2$'))
    await fleet.until('proving', 1)
    fleet.nowMs = 120 * minute
    await fleet.until('waiting', 1)
    const { left } = await fleet.status()
    expect(fleet.runs()).to.equal('1 1 3 1 -')
    for (const { reason } of left)
      expect(reason).to.equal('no entry of "upgrade-from" leads from 1 to 3, and 2 failed on c')
    expect(left.map(({ site }) => site)).to.deep.equal(['a', 'b', 'd'])
  })

  it('A33 A65 is a step again once its application has no deployment, whose word could end that', async () => {
    await using fleet = await proving()
    await failsOnCanary(fleet)
    const { 'deployments/shop-everywhere.yaml': _, ...files } = specified('3', '^2$')
    fleet.commit(files)
    await waitUntil('the sites without a window have it', async () => {
      await fleet.daemon.pass()
      return ['c', 'd'].every(site => fleet.versionOn(site) === '3')
    })
    await force(fleet)
    expect(forced(fleet)).to.have.length(1)
  })

  it('A31 A66 is forced no longer if the stage after its canaries is discarded', async () => {
    const byWord =
      'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'
    await using fleet = await proving()
    fleet.commit(specified('3', undefined, byWord))
    const { approve } = await fleet.until('waiting', 1)
    await fleet.daemon.pass()
    await force(fleet, 'a', '3')
    expect(forced(fleet)).to.have.length(1)
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/discard`, { who: 'ann' })
    expect(forced(fleet)).to.deep.equal([])
  })

  it('A33 A66 can be forced once somebody has resumed its deployment', async () => {
    await using fleet = await proving()
    await failsOnCanary(fleet)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await force(fleet)
    expect(forced(fleet)).to.have.length(1)
  })
})
