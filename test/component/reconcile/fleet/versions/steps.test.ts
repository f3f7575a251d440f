import { expect } from 'chai'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { refused } from '../../../../support/failures/refused.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, names, rolling } from '../scene.ts'

/** `shop` in a version, which one gets to from others that a pattern matches. */
function release(
  version: string,
  from?: string,
  more: object = { skipConfirmation: true },
  strategy = rolling,
): Files {
  const paths =
    from === undefined ? '' : `upgrade-from: [{version-regexp: '${from}', method: stop-and-restart}]\n`
  const container = `{name: shop, image: "registry.example.com/shop:${version}"}`
  return {
    ...filesOf(version, strategy, more),
    'environments/prod/manifest.json': JSON.stringify({ ...more, services: [{ name: 'shop' }] }),
    'applications/shop.yaml': `name: shop\nversion: "${version}"\nservices: [{name: shop, containers: [${container}]}]\n${paths}`,
  }
}

const last = release('3.0.1', '^3\\.0$')

/** All edge sites run 2.0.4. */
async function deployed(): Promise<Fleet> {
  const fleet = await Fleet.start(release('2.0.4'))
  await fleet.until('proving', 2)
  fleet.nowMs += 15 * minute
  await fleet.until('proving', 4)
  fleet.nowMs += 15 * minute
  await fleet.until('done', 4)
  return fleet
}

const countOf = (runs: string, version: string) => runs.split(' ').filter(one => one === version).length

/** The versions that a site was given, in order. */
const givenTo = (fleet: Fleet, site: string) =>
  (fleet.engines.get(site)?.done ?? []).flatMap(step => /^pull-image \S+:([\d.]+)@/.exec(step)?.[1] ?? [])

/** 3.0 fails on a site, on the way to 3.0.1. */
async function failedOnTheWay(fleet: Fleet, site: string, strategy: string): Promise<DeploymentStatus> {
  fleet.commit(release('3.0', undefined, {}, strategy))
  await waitUntil('3.0 waits for an approval', async () => {
    await fleet.daemon.pass()
    return fleet.daemon.results()[0]?.waiting.length === 4
  })
  fleet.failing = site
  fleet.commit(release('3.0.1', '^3\\.0$', undefined, strategy))
  return until(fleet, 'aborted')
}

const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 15m}'
/** A release that the canary, `c`, gets first. */
const tried = (version: string, from?: string) => release(version, from, undefined, canary)

/** Looks until the deployment is in a state. The healthy times pass. */
function until(fleet: Fleet, state: string): Promise<DeploymentStatus> {
  return waitUntil(state, async () => {
    await fleet.daemon.pass()
    const now = await fleet.status()
    if (now.state === 'proving') fleet.nowMs += 15 * minute
    return now.state === state && now
  })
}

/** Looks until nothing more happens by itself. */
function settled(fleet: Fleet): Promise<DeploymentStatus> {
  return waitUntil('nothing more happens', async () => {
    const before = fleet.nowMs
    const now = await until(fleet, (await fleet.status()).state)
    for (const _ of [1, 2, 3]) await fleet.daemon.pass()
    const { state } = await fleet.status()
    return fleet.nowMs === before && state === now.state && !['progressing', 'proving'].includes(state) && now
  })
}

async function everywhere(fleet: Fleet, version: string): Promise<void> {
  await until(fleet, 'done')
  expect(fleet.runs()).to.equal(`${version} ${version} ${version} ${version} -`)
}

async function refusesToForce(fleet: Fleet, site: string): Promise<void> {
  const word = fleet.daemon.ask('POST /api/v1/force-upgrade', {
    application: 'shop',
    version: '3.0',
    site: [site],
  })
  expect(await refused(word)).to.equal(
    'deployment-stopped: shop 3.0 failed on c, so its deployment brings it to no other site',
  )
}

describe('a deployment of a version that only follows another', () => {
  it('A65 A32 goes by way of it on each site in its turn, and on no site before', async () => {
    await using fleet = await deployed()
    fleet.commit(release('3.0'))
    await fleet.until('proving', 2)
    fleet.commit(last)
    await fleet.until('proving', 2)
    expect(countOf(fleet.runs(), '3.0.1')).to.equal(2)
    fleet.nowMs += 15 * minute
    await fleet.until('proving', 4)
    expect(fleet.runs()).to.equal('3.0.1 3.0.1 3.0.1 3.0.1 -')
    for (const site of names.slice(0, 4))
      expect(givenTo(fleet, site)).to.deep.equal(['2.0.4', '3.0', '3.0.1'])
  })

  it('A65 A33 fails if a step fails, keeps what ran there, and touches no further site', async () => {
    await using fleet = await deployed()
    const status = await failedOnTheWay(fleet, 'a', rolling)
    expect(status.reason).to.match(/^failed on a, on the way by 3\.0: /)
    for (const _ of [1, 2]) await fleet.daemon.pass()
    expect([fleet.versionOn('a'), givenTo(fleet, 'a')]).to.deep.equal(['2.0.4', ['2.0.4', '3.0']])
    const drawn = new Set(status.batches.flatMap(({ sites }) => sites.map(({ site }) => site)))
    // A site of the same batch may have begun already, or learns in time that the version has failed.
    for (const site of names.slice(1, 4))
      if (!drawn.has(site)) expect(givenTo(fleet, site), site).to.deep.equal(['2.0.4'])
  })

  it('A65 A33 G13 takes a step that failed on one site on no other, whatever is wanted next', async () => {
    await using fleet = await deployed()
    await failedOnTheWay(fleet, 'c', canary)
    const others = ['a', 'b', 'd']
    const given = () => others.map(site => givenTo(fleet, site))
    const before = given()
    // Without canaries, so that all sites would go at the same time.
    fleet.commit(release('3.0.2', '^3\\.0', undefined, ''))
    const { state, left } = await settled(fleet)
    expect(given()).to.deep.equal(before)
    expect([state, fleet.runs()]).to.deep.equal(['aborted', '2.0.4 2.0.4 2.0.4 2.0.4 -'])
    expect(left.map(({ site }) => site)).to.deep.equal(['a', 'b', 'c', 'd'])
    for (const site of others) await refusesToForce(fleet, site)
  })

  it('A65 A33 takes it once its correction has begun to spread', async () => {
    await using fleet = await deployed()
    await failedOnTheWay(fleet, 'c', canary)
    fleet.commit(tried('3.0', '^[23]'))
    await everywhere(fleet, '3.0')
    fleet.commit(tried('3.0.2', '^3\\.0'))
    await everywhere(fleet, '3.0.2')
  })

  it('A65 A33 takes it again once somebody resumes the deployment', async () => {
    await using fleet = await deployed()
    await failedOnTheWay(fleet, 'c', canary)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await everywhere(fleet, '3.0.1')
  })

  it('A65 A33 G25 knows which step failed, also if the process ended before the deployment heard of it', async () => {
    await using fleet = await deployed()
    await failedOnTheWay(fleet, 'c', canary)
    const run = fleet.journal.run('prod', 'shop')
    expect(run?.version).to.equal('3.0.1')
    const { id: _, ...again } = run ?? expect.fail('no run')
    // As if only the quarantine were on record: a run of the same version without a failure.
    fleet.journal.beginRun(again)
    await fleet.restart()
    await until(fleet, 'aborted')
    const facts = fleet.journal.judgedRuns('prod', 'shop').flatMap(one => one.facts)
    expect(facts.map(fact => (fact.kind === 'failed' ? fact.step : fact.kind))).to.deep.equal(['3.0'])
  })
})
