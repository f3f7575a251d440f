import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

/** `c` goes first; the others follow after half an hour. */
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 30m}'
const wanted = filesOf('2', canary)

/** A fleet on whose canary version 2 has just become healthy. */
async function proving(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
  await fleet.until('done', 4)
  fleet.commit(wanted)
  await fleet.until('proving', 1)
  return fleet
}

describe('a version that fails on the canary while its application cannot be judged', () => {
  const refused = filesOf('2', canary.replace('labels: try', 'labels: no-such-label'))
  const blocked = {
    ...wanted,
    'deployments/shop-everywhere.yaml': 'name: shop-everywhere\napplication: shop',
  }
  const silent = { ...wanted, 'README.md': 'While the registry is silent' }
  const meanwhile: readonly (readonly [why: string, state: string, files: Files, unresolved: string])[] = [
    ['the deployment is wrong', 'blocked', blocked, ''],
    ['it has no canary', 'refused', refused, ''],
    ['its image is unknown', 'waiting', silent, ':2'],
  ]

  for (const [why, state, files, unresolved] of meanwhile)
    it(`A31 A33 D15 goes to no other site once the healthy time is over, where ${why} meanwhile`, async () => {
      await using fleet = await proving()
      fleet.nowMs += 5 * minute
      fleet.unresolved = unresolved
      fleet.commit(files)
      await fleet.daemon.pass()
      expect((await fleet.status()).state).to.equal(state)
      fleet.shown.set('c', { health: 'unhealthy' })
      fleet.nowMs += 40 * minute
      await fleet.daemon.pass()
      fleet.unresolved = ''
      fleet.commit({ ...wanted, 'README.md': 'As it should be' })
      await fleet.until('aborted', 1)
      expect(fleet.runs()).to.equal('1 1 2 1 -')
    })
})

describe('a site that has got a version and was never healthy with it', () => {
  const rolling = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'

  it('A32 A33 D15 holds the next batch also while its application is blocked there by a file of its own', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', rolling))
    await fleet.daemon.pass()
    const [site = ''] = fleet.sitesWith('2')
    fleet.shown.set(site, { health: 'unhealthy' })
    await fleet.daemon.pass()
    fleet.commit({ ...filesOf('2', rolling), [`environments/prod/sites/${site}/manifest.json`]: '{' })
    await fleet.daemon.pass()
    fleet.nowMs += 60 * minute
    await fleet.daemon.pass()
    const { state, batches } = await fleet.status()
    expect([state, batches.length]).to.deep.equal(['progressing', 1])
  })

  it('A31 A33 D15 is looked at once more where its own file was wrong, before the others follow', async () => {
    await using fleet = await proving()
    fleet.commit({ ...wanted, 'environments/prod/sites/c/manifest.json': '{' })
    await fleet.daemon.pass()
    const blocked = filesOf('2', 'placement: {}')
    fleet.commit(blocked)
    await fleet.daemon.pass()
    fleet.shown.set('c', { health: 'unhealthy' })
    fleet.nowMs += 40 * minute
    await fleet.daemon.pass()
    fleet.commit({ ...wanted, 'README.md': 'As it should be' })
    await fleet.until('aborted', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })

  for (const isSilent of [false, true])
    it(`A32 D15 G13 holds the next batch where it is half-done${isSilent ? ', and fell silent meanwhile' : ''}, although what runs there is healthy`, async () => {
      await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
      await fleet.until('done', 4)
      fleet.isPausing = true
      fleet.commit(filesOf('2', rolling))
      await fleet.look()
      await waitUntil('a site is getting it', () => fleet.paused !== undefined)
      const site = fleet.paused?.site ?? ''
      fleet.paused = undefined
      fleet.commit({ ...filesOf('2', rolling), [`environments/prod/sites/${site}/manifest.json`]: '{' })
      if (isSilent) fleet.silent = site
      await fleet.restart()
      await fleet.daemon.pass()
      fleet.silent = ''
      await fleet.daemon.pass()
      fleet.nowMs += 60 * minute
      await fleet.daemon.pass()
      const { state, batches, reason = '' } = await fleet.status()
      expect([state, batches.length, reason]).to.deep.equal([
        'progressing',
        1,
        `waits for ${site} (json-invalid: expected a key in double quotes, found the end of the file)`,
      ])
      expect(fleet.versionOn(site)).to.equal('1+2')
      fleet.commit(filesOf('2', rolling))
      await fleet.until('proving', 1)
      expect(fleet.sitesWith('2')).to.deep.equal([site])
    })

  it('A32 D15 proves it like the others once it is healthy, although its own file is wrong', async () => {
    await using fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
    await fleet.until('done', 4)
    for (const name of ['a', 'b', 'c', 'd']) fleet.shown.set(name, { health: 'starting' })
    fleet.commit(filesOf('2', rolling))
    await fleet.daemon.pass()
    const [site = ''] = fleet.sitesWith('2')
    fleet.commit({ ...filesOf('2', rolling), [`environments/prod/sites/${site}/manifest.json`]: '{' })
    await fleet.daemon.pass()
    fleet.shown.clear()
    const { until = '' } = await fleet.until('proving', 1)
    expect(Date.parse(until)).to.equal(fleet.nowMs + 15 * minute)
    fleet.nowMs += 15 * minute - 1
    await fleet.daemon.pass()
    expect((await fleet.status()).batches.length).to.equal(1)
    fleet.nowMs += 1
    await waitUntil('the next batch is drawn', async () => {
      await fleet.daemon.pass()
      return (await fleet.status()).batches.length === 2
    })
  })
})
