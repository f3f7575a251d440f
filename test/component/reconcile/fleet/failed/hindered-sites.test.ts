import { expect } from 'chai'
import type { ErrorCode } from '../../../../../lib/errors/catalogue.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

const day = 24 * 60 * minute
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 0s}'
const why = 'there is no user nemo in the image'

/** Version 1 is everywhere, and 2 cannot be prepared on the canary, `c`. */
async function hindered(code: ErrorCode = 'mount-refused', strategy = canary): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', ''))
  await fleet.until('done', 4)
  fleet.unprepared.set('c', new Failure(code, `c: ${why}`))
  fleet.commit(filesOf('2', strategy))
  await told(fleet, why)
  return fleet
}

/** Looks until the deployment says something. */
function told(fleet: Fleet, words: string) {
  return waitUntil(words, async () => {
    await fleet.daemon.pass()
    const now = await fleet.status()
    return now.reason.includes(words) && now
  })
}

/** As the times of the API are written. */
const at = (ms: number) => new Date(ms).toISOString()

describe('a site on which nobody has approved a version', () => {
  it('G13 X18 is waited for by its deployment, which says so, and has no deadline', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', canary, {}))
    const { reason, until, left } = await fleet.until('waiting', 0)
    expect([reason, until]).to.deep.equal(['waits for c (needs an approval)', undefined])
    expect(left.map(({ site, reason }) => `${site}: ${reason}`)).to.deep.equal([
      ...['a: waits for its turn', 'b: waits for its turn', 'c: needs an approval', 'd: waits for its turn'],
    ])
  })
})

describe('a site on which a version fails before anything is touched', () => {
  for (const code of ['mount-refused', 'registry-unreachable'] as const)
    it(`A33 G1 G13 holds its deployment, which names ${code} and says until when, and goes on once that is over`, async () => {
      await using fleet = await hindered(code)
      const { state, reason, since, until, left } = await fleet.status()
      expect([state, since, until]).to.deep.equal(['progressing', at(1_000_000), at(1_000_000 + day)])
      expect(reason).to.equal(`waits for c (${code}: ${why}); the deployment fails if that lasts`)
      expect(left.find(({ site }) => site === 'c')).to.include({ version: '1', reason: why, code })
      expect(fleet.runs()).to.equal('1 1 1 1 -')
      fleet.unprepared.clear()
      await fleet.until('done', 4)
      expect(fleet.runs()).to.equal('2 2 2 2 -')
    })

  it('A33 G1 fails it at once where only a change can help, and goes on with that', async () => {
    await using fleet = await hindered('image-lacking')
    const { state, reason } = await fleet.status()
    expect([state, reason]).to.deep.equal(['aborted', `failed on c: ${why}`])
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    fleet.unprepared.clear()
    fleet.nowMs += minute
    fleet.commit(filesOf('3', canary))
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('3 3 3 3 -')
  })

  it('A33 fails it once its time is over, and not before, with what it was', async () => {
    await using fleet = await hindered()
    fleet.nowMs += day - 1
    for (const _ of [1, 2]) await fleet.daemon.pass()
    expect((await fleet.status()).state).to.equal('progressing')
    fleet.nowMs += 1
    const { reason } = await fleet.until('aborted', 0)
    expect(reason).to.equal(`failed on c: ${why}; it was tried again for 1d`)
    expect(fleet.runs()).to.equal('1 1 1 1 -')
    const [kept] = fleet.journal.keptVersions('prod', 'shop')
    expect([kept?.version, kept?.hasOnlyFailed], 'A6').to.deep.equal(['2', true])
  })

  it('A33 has all its time anew after the word that goes on', async () => {
    await using fleet = await hindered()
    fleet.nowMs += day
    await fleet.until('aborted', 0)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await told(fleet, why)
    expect((await fleet.status()).until).to.equal(at(fleet.nowMs + day))
    fleet.unprepared.clear()
    await fleet.until('done', 4)
  })

  for (const [how, strategy] of Object.entries({ 'in its turn': canary, 'with all others': '' }))
    it(`A33 A34 has all its time anew once its engine answers again, where it gets the version ${how}`, async () => {
      await using fleet = await hindered('mount-refused', strategy)
      fleet.silent = 'c'
      await told(fleet, 'the site does not answer')
      fleet.nowMs += day
      fleet.silent = ''
      await told(fleet, why)
      expect((await fleet.status()).until).to.equal(at(fleet.nowMs + day))
    })

  it('G13 is one row of the log, which says how often it was found and until when', async () => {
    await using fleet = await hindered()
    for (const _ of [1, 2]) {
      fleet.nowMs += minute
      await fleet.daemon.pass()
    }
    const [row, ...others] = fleet.journal.log({ site: 'c', limit: 10 })
    expect([row?.error?.code, row?.lastSeenAtMs]).to.deep.equal(['mount-refused', 1_000_000 + 2 * minute])
    expect(row?.repeats).to.be.at.least(2)
    expect(others.filter(({ error }) => error !== undefined)).to.deep.equal([])
  })

  it('G13 G25 says the same after a restart', async () => {
    await using fleet = await hindered()
    const before = await fleet.status()
    fleet.nowMs += minute
    await fleet.restart()
    expect(await fleet.status()).to.deep.equal(before)
    await fleet.daemon.pass()
    const { reason, until } = await fleet.status()
    expect([reason, until]).to.deep.equal([before.reason, before.until])
  })
})

describe('a site on which a container is gone and only reported', () => {
  it('A33 D9 G12 G13 holds its batch until somebody starts it, and says until when', async () => {
    await using fleet = await reported()
    const { state, reason, until } = await told(fleet, 'fails if that lasts')
    expect(reason).to.include('waits for c (drift-reported')
    expect([state, until]).to.deep.equal(['progressing', at(fleet.nowMs + day)])
    fleet.drift = 'repair'
    await fleet.restart()
    await fleet.until('proving', 1)
    fleet.nowMs += 15 * minute
    await fleet.until('done', 4)
  })

  it('A33 D9 G12 fails the deployment once that time is over, with what is wrong', async () => {
    await using fleet = await reported()
    await told(fleet, 'fails if that lasts')
    fleet.nowMs += day
    const { reason } = await fleet.until('aborted', 1)
    expect(reason).to.equal('failed on c: instances missing; "drift: report" only reports; that lasted 1d')
  })
})

/** Version 2 is on the canary, `c`, in its healthy time, and its container there is removed by hand. */
async function reported(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', ''))
  fleet.drift = 'report'
  await fleet.restart()
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', canary.replace('0s', '15m')))
  await fleet.until('proving', 1)
  fleet.engines.get('c')?.lose()
  return fleet
}
