import { expect } from 'chai'
import type { Files } from '../../../support/snapshot.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { Fleet, filesOf, minute, names, rolling } from './scene.ts'

/** `shop` in a version, which one gets to from others that a pattern matches. */
function release(version: string, from?: string, more: object = { skipConfirmation: true }): Files {
  const paths =
    from === undefined ? '' : `upgrade-from: [{version-regexp: '${from}', method: stop-and-restart}]\n`
  const container = `{name: shop, image: "registry.example.com/shop:${version}"}`
  return {
    ...filesOf(version, rolling, more),
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
    fleet.commit(release('3.0', undefined, {}))
    await waitUntil('3.0 waits for an approval', async () => {
      await fleet.daemon.pass()
      return fleet.daemon.results()[0]?.waiting.length === 4
    })
    fleet.failing = 'a'
    fleet.commit(last)
    const status = await waitUntil('it has failed', async () => {
      await fleet.daemon.pass()
      const now = await fleet.status()
      if (now.state === 'proving') fleet.nowMs += 15 * minute
      return now.state === 'aborted' && now
    })
    expect(status.reason).to.match(/^failed on a: /)
    for (const _ of [1, 2]) await fleet.daemon.pass()
    expect([fleet.versionOn('a'), givenTo(fleet, 'a')]).to.deep.equal(['2.0.4', ['2.0.4', '3.0']])
    const drawn = new Set(status.batches.flatMap(({ sites }) => sites.map(({ site }) => site)))
    // A site of the same batch may have begun already, or learns in time that the version has failed.
    for (const site of names.slice(1, 4))
      if (!drawn.has(site)) expect(givenTo(fleet, site), site).to.deep.equal(['2.0.4'])
  })
})
