import { mock } from 'node:test'
import { expect } from 'chai'
import type { Files } from '../../../../support/builders/snapshot.ts'
import { manifestOf } from '../../../../support/memory/memory-daemon.ts'
import { filesOf, ManySites } from '../many-sites.ts'

/** What `filesOf` returns, and other deployments: one that is done everywhere, and one that means no site. */
function besideOthers(version: string, inParallel: number): Files {
  const other = (name: string, placement: string) =>
    `{name: ${name}, application: ${name}, placement: ${placement}}`
  return {
    ...filesOf(version, inParallel),
    ...manifestOf('prod', { shop: version, zoo: '1', 'zoo-lab': '1' }, { skipConfirmation: true }),
    'deployments/zoo.yaml': other('zoo', '{all-sites: true}'),
    'deployments/zoo-lab.yaml': other('zoo-lab', '{match-site-labels: kind = lab}'),
  }
}

/** How long what nothing depends on may wait for what else happens. */
const restMs = 1_000

describe('what happens to many sites at the same time', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  for (const { how, inParallel } of [
    { how: 'some at a time', inParallel: 3 },
    { how: 'in one batch', inParallel: 40 },
    { how: 'at once', inParallel: undefined },
  ])
    it(`A34 G24 has a deployment that goes ${how} looked at a few times, and not for each of them`, async () => {
      await using many = await ManySites.start(40, filesOf('1', inParallel))
      await many.waitsFor('1', 'done')
      const advancesOf = async (happen: () => Promise<unknown>): Promise<number> => {
        const before = many.advances
        await happen()
        await many.wait(restMs)
        return many.advances - before
      }
      const half = new Set(many.names.slice(20))
      const next = () => {
        many.commit(filesOf('2', inParallel))
        return many.look()
      }
      const advances = {
        ofSilence: await advancesOf(() => {
          many.silent = half
          return many.look()
        }),
        ofReturn: await advancesOf(() => {
          many.silent = new Set()
          return many.look()
        }),
        ofSuspension: await advancesOf(async () => {
          await many.say('suspend', { application: 'shop', reason: 'stocktaking' })
          await next()
        }),
        ofHindrance: await advancesOf(async () => {
          many.areImagesAway = true
          await many.say('resume', { application: 'shop' })
          await many.look()
        }),
      }
      expect(Object.entries(advances).filter(([, count]) => count > 6)).to.deep.equal([])
    })
})

describe('a deployment that stops again and again', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  for (const { beside, files } of [
    { beside: 'alone', files: filesOf },
    { beside: 'beside other deployments', files: besideOthers },
  ])
    it(`A33 A34 G24 asks no site that does not answer because of a stop, or of the word that goes on, ${beside}`, async () => {
      await using many = await ManySites.start(20, files('1', 20))
      await many.waitsFor('1', 'done')
      many.silent = new Set(['site-6', 'site-16'])
      await many.look()
      many.commit(files('2', 1))
      for (const site of many.names.filter((_, index) => index % 5 === 3)) many.failing.add(site)
      await many.look()
      await many.rest()
      many.asked.clear()
      let stops = 0
      while ((await many.waitsFor('2', 'correction', 'unready')) === 'correction') {
        stops += 1
        await many.say('resume', { application: 'shop' })
        await many.waitsFor('2', 'sites', 'correction', 'unready')
      }
      expect(stops).to.equal(4)
      expect([...many.silent].map(site => many.asked.get(site) ?? 0)).to.deep.equal([0, 0])
    })

  it('A33 A34 X18 tells a site that came back meanwhile that it goes on', async () => {
    await using many = await ManySites.start(3, filesOf('1', 3))
    await many.waitsFor('1', 'done')
    many.silent = new Set(['site-1'])
    await many.look()
    many.commit(filesOf('2', 1, '1h'))
    await many.look()
    await many.waitsFor('2', 'healthy-time')
    await many.say('pause', { deployment: 'shop' })
    await many.waitsFor('2', 'resume')
    many.silent = new Set()
    await many.look()
    expect(many.heldOn('site-1')).to.deep.equal(['deployment-stopped'])
    await many.say('resume', { application: 'shop' })
    await many.waitsFor('2', 'healthy-time')
    expect(many.heldOn('site-1')).to.deep.equal(['not-its-turn'])
  })
})
