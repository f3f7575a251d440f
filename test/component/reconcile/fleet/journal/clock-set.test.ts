import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const year = 365 * 24 * 60 * minute

/** A fleet of which the first two sites have just been found healthy with version 2, with this clock. */
async function provingSecond(aheadMs = 0): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1'))
  await fleet.until('proving', 2)
  fleet.nowMs += 15 * minute
  await fleet.until('proving', 4)
  fleet.nowMs += 15 * minute
  await fleet.until('done', 4)
  fleet.aheadMs = aheadMs
  fleet.commit(filesOf('2'))
  await fleet.until('proving', 2)
  return fleet
}

async function passes(fleet: Fleet): Promise<void> {
  for (let count = 0; count < 4; count += 1) await fleet.daemon.pass()
}

/** How many sites run version 2. */
function haveSecond(fleet: Fleet): number {
  return fleet
    .runs()
    .split(' ')
    .filter(version => version === '2').length
}

describe('deployments while the time of day is set', () => {
  for (const { what, fromMs, toMs } of [
    { what: 'back by a year', fromMs: year, toMs: 0 },
    { what: 'forward by a year', fromMs: 0, toMs: year },
    { what: 'forward by less than the time', fromMs: 0, toMs: 14 * minute },
    { what: 'back by less than the time', fromMs: 0, toMs: -14 * minute },
  ])
    it(`A31 A32 G17 a healthy time lasts as long as it says although the clock is put ${what}`, async () => {
      await using fleet = await provingSecond(fromMs)
      fleet.nowMs += 5 * minute
      fleet.aheadMs = toMs
      fleet.nowMs += 9 * minute
      await passes(fleet)
      expect(haveSecond(fleet), 'after 14 minutes').to.equal(2)
      const { state, until } = await fleet.status()
      expect([state, until]).to.deep.equal([
        'proving',
        new Date(fleet.nowMs + fleet.aheadMs + minute).toISOString(),
      ])
      fleet.nowMs += minute
      await passes(fleet)
      expect(haveSecond(fleet), 'after 15 minutes').to.equal(4)
    })

  it('A32 G17 a healthy time whose beginning lies ahead for the next process begins with that', async () => {
    await using fleet = await provingSecond(year)
    fleet.aheadMs = 0
    await fleet.restart()
    await passes(fleet)
    fleet.nowMs += 14 * minute
    await passes(fleet)
    expect(haveSecond(fleet), 'after 14 minutes').to.equal(2)
    fleet.nowMs += minute
    await passes(fleet)
    expect(haveSecond(fleet), 'after 15 minutes').to.equal(4)
  })

  for (const { what, fromMs, toMs } of [
    { what: 'forward', fromMs: 0, toMs: year },
    { what: 'back', fromMs: year, toMs: 0 },
  ])
    it(`A33 G17 what hinders a version is tried for as long as it says although the clock is put ${what}`, async () => {
      await using fleet = await Fleet.start(filesOf('1'))
      await fleet.until('proving', 2)
      fleet.nowMs += 15 * minute
      await fleet.until('proving', 4)
      fleet.nowMs += 15 * minute
      await fleet.until('done', 4)
      fleet.aheadMs = fromMs
      for (const site of ['a', 'b', 'c', 'd'])
        fleet.unprepared.set(site, new Failure('pull-failed', `${site}: the registry is silent`))
      fleet.commit(filesOf('2'))
      await passes(fleet)
      fleet.aheadMs = toMs
      await passes(fleet)
      expect((await fleet.status()).state, 'at once').not.to.equal('aborted')
      fleet.nowMs += 25 * 60 * minute
      await passes(fleet)
      expect((await fleet.status()).state, 'after its day').to.equal('aborted')
    })
})
