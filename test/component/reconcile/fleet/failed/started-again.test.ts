import { expect } from 'chai'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute } from '../scene.ts'

/** `c` goes first; the others follow one by one after 40 minutes each. */
const canary =
  'deploy-to-sites: {canary-sites: {match-site-labels: try}, healthy-time: 40m, sites-in-parallel: 1}'

/** A fleet on whose canary version 2 has just become healthy. */
async function provingOnCanary(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1', 'deploy-to-sites: {sites-in-parallel: 4}'))
  await fleet.until('done', 4)
  fleet.commit(filesOf('2', canary))
  await fleet.until('proving', 1)
  return fleet
}

/** Time passes in which the daemon looks at all sites. */
async function pass(fleet: Fleet, ms = 0): Promise<void> {
  fleet.nowMs += ms
  await fleet.daemon.pass()
}

/** Waits until the healthy time of `c` has begun anew, which lasts as long as it did the first time. */
async function begunAnew(fleet: Fleet): Promise<void> {
  await waitUntil('its time begins anew', async () => {
    await fleet.daemon.pass()
    const { state, reason } = await fleet.status()
    return state === 'proving' && reason.endsWith('began anew, because it was started again on c')
  })
  await pass(fleet, 40 * minute - 1)
  expect(fleet.runs()).to.equal('1 1 2 1 -')
  await pass(fleet, 1)
  await fleet.until('proving', 2)
}

const stopped = { state: 'exited', exitCode: 137, status: 'Exited (137) 1 second ago' } as const
const restarting = { state: 'restarting', exitCode: 9, status: 'Restarting (9) 1 second ago' } as const

describe('a site whose containers stop in the healthy time', () => {
  it('A31 A33 D9 has to be healthy for the whole time anew once what somebody stopped runs again, however often', async () => {
    await using fleet = await provingOnCanary()
    for (const _ of [1, 2, 3]) {
      fleet.glimpsed.set('c', stopped)
      await pass(fleet, 10 * minute)
      await fleet.until('proving', 1)
    }
    await begunAnew(fleet)
  })

  it('A31 A33 D9 has to be healthy for the whole time anew once what somebody removed runs again', async () => {
    await using fleet = await provingOnCanary()
    fleet.engines.get('c')?.lose()
    await pass(fleet, 39 * minute)
    await begunAnew(fleet)
  })

  it('A33 G25 has to be healthy for the whole time anew, also if no daemon ran when that was done', async () => {
    await using fleet = await provingOnCanary()
    fleet.engines.get('c')?.lose()
    fleet.nowMs += 60 * minute
    await fleet.restart()
    await begunAnew(fleet)
  })

  it('A33 ends the deployment if it is started again and does not run', async () => {
    await using fleet = await provingOnCanary()
    fleet.shown.set('c', stopped)
    const { reason } = await fleet.until('aborted', 1)
    expect(reason).to.equal('failed on c: this very plan was just applied, and is needed again')
  })

  it('A33 ends the deployment if it cannot be started again', async () => {
    await using fleet = await provingOnCanary()
    fleet.crash('c')
    const { reason } = await fleet.until('aborted', 1)
    expect(reason).to.equal('failed on c: exited with code 1')
    await fleet.daemon.ask('POST /api/v1/resume', { application: 'shop' })
    await fleet.until('proving', 1)
  })

  it('A33 A34 is silent, and no failure, where its engine goes down and tells that before', async () => {
    await using fleet = await provingOnCanary()
    fleet.glimpsed.set('c', stopped)
    await pass(fleet, minute)
    fleet.silent = 'c'
    await pass(fleet, minute)
    expect((await fleet.until('waiting', 0)).reason).to.match(
      /^the healthy time begins anew once all canaries/,
    )
    fleet.silent = ''
    fleet.nowMs += 10 * minute
    await begunAnew(fleet)
  })

  it('A33 holds nobody after it has proved the version, and ends nothing', async () => {
    await using fleet = await provingOnCanary()
    await pass(fleet, 40 * minute)
    await fleet.until('proving', 2)
    fleet.glimpsed.set('c', stopped)
    await pass(fleet, 40 * minute)
    await fleet.until('proving', 3)
  })
})

describe('a site on which a version ends by itself in the healthy time', () => {
  it('A31 A33 has to be healthy for the whole time anew if that happened once', async () => {
    await using fleet = await provingOnCanary()
    fleet.glimpsed.set('c', restarting)
    await pass(fleet, 10 * minute)
    await begunAnew(fleet)
  })

  it('A33 ends the deployment if it does so again', async () => {
    await using fleet = await provingOnCanary()
    for (const _ of [1, 2]) {
      fleet.glimpsed.set('c', restarting)
      await pass(fleet, 10 * minute)
      await fleet.daemon.pass()
    }
    const { reason } = await fleet.until('aborted', 1)
    expect(reason).to.match(/^failed on c: shop is Degraded: shop ends again and again/)
  })

  it('A33 ends the deployment if it has not come back after some time', async () => {
    await using fleet = await provingOnCanary()
    fleet.shown.set('c', restarting)
    await pass(fleet)
    await pass(fleet, 9_000)
    expect((await fleet.status()).state).to.equal('progressing')
    await pass(fleet, 1_000)
    await fleet.until('aborted', 1)
  })

  it('A33 G25 ends the deployment if the engine started it twice between looks, also with another daemon', async () => {
    await using fleet = await provingOnCanary()
    const revived = (restarts: number) => ({ status: 'Up 2 seconds', restarts })
    fleet.shown.set('c', revived(1))
    await pass(fleet, 10 * minute)
    await waitUntil('its time begins anew', async () =>
      (await fleet.status()).reason.endsWith('because it was started again on c'),
    )
    await fleet.restart()
    fleet.shown.set('c', revived(2))
    await pass(fleet, 10 * minute)
    const { reason } = await fleet.until('aborted', 1)
    expect(reason).to.equal('failed on c: shop ends again and again, and the engine starts it anew')
  })

  it('A33 ends the deployment at once if its health check fails, also where the version was proved', async () => {
    await using fleet = await provingOnCanary()
    await pass(fleet, 40 * minute)
    await fleet.until('proving', 2)
    fleet.shown.set('c', { health: 'unhealthy' })
    const { reason } = await fleet.until('aborted', 2)
    expect(reason).to.match(/^failed on c: shop is Degraded: /)
  })
})
