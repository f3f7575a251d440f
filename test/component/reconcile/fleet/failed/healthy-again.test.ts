import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

/** `c` goes first; the others follow after 40 minutes. */
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 40m}'

/** A fleet on whose canary version 2 has just become healthy. */
async function provingOnCanary(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', canary))
  await fleet.until('proving', 1)
  fleet.nowMs += 40 * minute
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', canary))
  await fleet.until('proving', 1)
  return fleet
}

/** Time passes in which the daemon looks at all sites. */
async function pass(fleet: Fleet, ms: number): Promise<void> {
  fleet.nowMs += ms
  await fleet.daemon.pass()
}

describe('a canary that fails in its healthy time', () => {
  it('A31 A33 has to be healthy for the whole time anew after a resume, however late that comes', async () => {
    await using fleet = await provingOnCanary()
    fleet.nowMs += 4 * minute
    fleet.crash('c')
    await fleet.until('aborted', 1)
    await pass(fleet, 60 * minute)
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await waitUntil('its time begins anew', async () => (await fleet.status()).state === 'proving')
    await pass(fleet, 40 * minute - 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    await pass(fleet, 1)
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A31 A33 that fails on ends the deployment again, and nobody else gets its version', async () => {
    await using fleet = await provingOnCanary()
    fleet.crash('c')
    await fleet.until('aborted', 1)
    fleet.engines.get('c')?.lose()
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop', who: 'ann' })
    await fleet.until('proving', 1)
    fleet.shown.set('c', { health: 'unhealthy' })
    await pass(fleet, 40 * minute - 1)
    await waitUntil('it failed again', async () => (await fleet.status()).state === 'aborted')
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })
})

describe('a canary that is started again in its healthy time', () => {
  for (const isRunning of [true, false])
    it(`A31 A33 has to be healthy for the whole time anew ${isRunning ? 'while the daemon runs' : 'if that happened while no daemon ran'}`, async () => {
      await using fleet = await provingOnCanary()
      fleet.nowMs += 39 * minute
      fleet.uptimes.set('c', 'Up 5 minutes (healthy)')
      if (!isRunning) {
        fleet.nowMs += 2 * minute
        await fleet.restart()
      }
      await fleet.daemon.pass()
      await waitUntil('its time begins anew', async () =>
        (await fleet.status()).reason.endsWith('began anew, because it was started again on c'),
      )
      fleet.uptimes.set('c', 'Up 44 minutes (healthy)')
      await pass(fleet, 40 * minute - 1)
      expect(fleet.runs()).to.equal('1 1 2 1 -')
      await pass(fleet, 1)
      await fleet.until('done', 4)
      expect(fleet.runs()).to.equal('2 2 2 2 -')
    })

  it('A31 is not taken for started again by words that leave it open', async () => {
    await using fleet = await provingOnCanary()
    fleet.nowMs += 40 * minute - 1
    fleet.uptimes.set('c', 'Up 39 minutes (healthy)')
    await fleet.restart()
    await pass(fleet, 1)
    await fleet.until('done', 4)
  })
})

describe('a canary that somebody pauses in its healthy time', () => {
  it('A31 A33 has to be healthy for the whole time anew, although the engine does not start it again', async () => {
    await using fleet = await provingOnCanary()
    fleet.glimpsed.set('c', { state: 'paused' })
    await pass(fleet, 39 * minute)
    await waitUntil('its time begins anew', async () =>
      (await fleet.status()).reason.endsWith('began anew, because it was started again on c'),
    )
    await pass(fleet, 40 * minute - 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    await pass(fleet, 1)
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })
})

describe('a canary that goes away in its healthy time', () => {
  it('A31 A34 G13 holds the others until it is back and was healthy for the whole time, also over a restart', async () => {
    await using fleet = await provingOnCanary()
    fleet.silent = 'c'
    await pass(fleet, 4 * minute)
    await pass(fleet, 50 * minute)
    await fleet.restart()
    await pass(fleet, 50 * minute)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    const { state, reason } = await fleet.status()
    expect([state, reason.slice(0, reason.indexOf(' since'))]).to.deep.equal([
      'waiting',
      'the healthy time begins anew once all canaries answer, unless a person lets the others follow: c (the site does not answer',
    ])
    fleet.silent = ''
    await waitUntil('it is proving', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).state === 'proving'
    })
    await pass(fleet, 40 * minute - 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    await pass(fleet, 1)
    await fleet.until('done', 4)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A31 A34 holds the others, also if nobody has noticed before the end of that time', async () => {
    await using fleet = await provingOnCanary()
    fleet.silent = 'c'
    await pass(fleet, 40 * minute)
    const { reason } = await fleet.until('waiting', 0)
    expect(reason).to.match(/^the healthy time begins anew once all canaries answer/)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })

  it('A33 G25 that does badly when the daemon is started after that time ends the deployment', async () => {
    await using fleet = await provingOnCanary()
    fleet.crash('c')
    fleet.nowMs += 60 * minute
    await fleet.restart()
    await fleet.until('aborted', 1)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
  })

  it('A31 A34 X20 does not hold them if a person lets them follow', async () => {
    await using fleet = await provingOnCanary()
    fleet.silent = 'c'
    await pass(fleet, 4 * minute)
    const { approve } = await fleet.until('waiting', 0)
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    const { reason, sites } = await fleet.until('waiting', 3)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
    expect(sites).to.deep.equal({ done: 3, now: 0, toCome: 0, silent: 1 })
    expect(reason).to.match(/^all sites have it but c \(the site does not answer since /)
    fleet.silent = ''
    await waitUntil('it is done on return', async () => {
      await pass(fleet, 10 * minute)
      return (await fleet.status()).state === 'done'
    })
  })
})
