import { expect } from 'chai'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import { refused } from '../../../../support/failures/refused.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m}'
const all = 'deploy-to-sites: {sites-in-parallel: 4}'

type TakenOut = { readonly fleet: Fleet; readonly gone: string; readonly others: typeof sites }

/** A fleet one of whose sites was taken out while it was getting version 2, and another one got it since. */
async function takenOut(): Promise<TakenOut> {
  const fleet = await Fleet.start(filesOf('1', all))
  await fleet.until('done', 4)
  fleet.isPausing = true
  fleet.commit(filesOf('2', oneByOne))
  await fleet.look()
  await waitUntil('a site is getting it', () => fleet.paused !== undefined)
  const gone = fleet.paused?.site ?? expect.fail('none is getting it')
  const others = sites.filter(({ name }) => name !== gone)
  fleet.daemon.adopt(others)
  await fleet.until('proving', 1)
  return { fleet, gone, others }
}

/** The site comes back, and its rollout goes on, until somebody knows how it ends. */
async function returned({ fleet, gone }: TakenOut): Promise<void> {
  await fleet.look()
  const running = () => fleet.daemon.control.running[0]?.loop.sites().get(gone)?.running?.changes
  await waitUntil('its rollout goes on', () => running()?.length === 1)
}

/** What is said of the site, and of the deployment. */
async function shown({ fleet, gone }: TakenOut) {
  const [{ applications, deployments }] = await fleet.daemon.ask('GET /api/v1/environments')
  const rowOf = (rows: readonly { readonly site: string }[]) => rows.find(({ site }) => site === gone)
  const { sites: counts, batches, left, reason } = deployments[0]
  return { row: rowOf(applications), left: rowOf(left), counts, batches: batches.length, reason }
}

async function isFinishedFirst(taken: TakenOut): Promise<void> {
  const { fleet, gone, others } = taken
  const reason = 'the rollout of version 2 has begun'
  const before = await shown(taken)
  expect(before.row).to.include({ sync: 'OutOfSync', reason })
  expect(before.left).to.include({ reason })
  expect(before.counts).to.deep.equal({ done: 1, now: 1, toCome: 2 })
  expect(before.reason).to.match(new RegExp(`^waits for ${gone} `))
  fleet.nowMs += 20 * minute
  await fleet.look(...others.map(({ name }) => name))
  expect((await shown(taken)).batches).to.equal(2)
  fleet.paused?.letGo.resolve()
  await waitUntil('the next batch is drawn', async () => {
    await fleet.daemon.pass()
    return (await shown(taken)).batches === 3
  })
  expect(fleet.versionOn(gone)).to.equal('2')
}

describe('a site that is taken out while it gets a version, and comes back', () => {
  it('A32 G13 counts as a site that gets it at once, and no batch is drawn before it has it', async () => {
    const taken = await takenOut()
    await using fleet = taken.fleet
    fleet.daemon.adopt(sites)
    await returned(taken)
    await isFinishedFirst(taken)
  })

  it('A32 G13 does so too for a daemon that is started only then', async () => {
    const taken = await takenOut()
    await using fleet = taken.fleet
    await fleet.restart(sites)
    await returned(taken)
    await isFinishedFirst(taken)
  })

  it('A34 holds no batch if it does not answer', async () => {
    const taken = await takenOut()
    await using fleet = taken.fleet
    fleet.silent = taken.gone
    fleet.daemon.adopt(sites)
    await fleet.daemon.pass()
    const { left, counts } = await shown(taken)
    expect(left).to.include({ reason: 'the site does not answer' })
    expect(counts).to.deep.equal({ done: 1, now: 0, toCome: 3 })
    fleet.nowMs += 20 * minute
    await waitUntil('the next batch is drawn', async () => {
      await fleet.daemon.pass()
      return (await shown(taken)).batches === 3
    })
  })
})

describe('the only canary, which is taken out before it tried the version', () => {
  const canary =
    'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 1m, sites-in-parallel: 4}'

  it('A31 G4 is followed by nobody until a person says so', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.isPausing = true
    fleet.commit(filesOf('2', canary))
    await fleet.look()
    await waitUntil('it is getting it', () => fleet.paused?.site === 'c')
    fleet.daemon.adopt(sites.filter(({ name }) => name !== 'c'))
    const { reason, approve } = await fleet.until('waiting', 0)
    expect(reason).to.match(/^none of its sites is a canary any more, and none has tried the version: /)
    await fleet.look('a', 'b', 'd')
    expect(['a', 'b', 'd'].map(site => fleet.versionOn(site))).to.deep.equal(['1', '1', '1'])
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    await waitUntil('they follow', async () => {
      await fleet.look('a', 'b', 'd')
      return ['a', 'b', 'd'].every(site => fleet.versionOn(site) === '2')
    })
    fleet.paused?.letGo.resolve()
  })
})

describe('the sites that were to prove the last batch, which leave the configuration', () => {
  const others = sites.filter(({ name }) => name !== 'c')
  const canaries = (way: string) =>
    filesOf('2', `deploy-to-sites: {canary-sites: {match-site-labels: try}, ${way}}`)
  const returning =
    /^no site is left that proves the last batch, so none follows until one is back, unless a person lets the others follow: c /

  /** A fleet on whose canary version 2 has just become healthy. */
  async function healthyOnCanary(way: string, state: string): Promise<Fleet> {
    const fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.commit(canaries(way))
    await fleet.until(state, 1)
    return fleet
  }

  async function waits(fleet: Fleet, done: number): Promise<DeploymentStatus> {
    fleet.nowMs += 60 * minute
    for (const _ of [1, 2, 3]) await fleet.daemon.pass()
    const status = await fleet.status()
    expect([status.state, status.sites.done]).to.deep.equal(['waiting', done])
    return status
  }

  it('A31 X20 a canary whose file is wrong or missing at a restart asks a person under another id: nobody else gets the version', async () => {
    await using fleet = await healthyOnCanary('canary-continue-by-action: true', 'waiting')
    const approve = (id: string) => fleet.daemon.ask(`POST /api/v1/plans/${id}/approve`, { who: 'ann' })
    const { approve: healthy = '' } = await fleet.status()
    await fleet.restart(others)
    const { reason, approve: without = '' } = await waits(fleet, 0)
    expect(reason).to.match(returning)
    expect(await refused(approve(healthy)), 'an answer about a healthy canary').to.match(/^plan-answered: /)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    await approve(without)
    await fleet.until('done', 3)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })

  it('A31 a canary that is taken out in its healthy time does not prove the version, and begins its time anew once it is back', async () => {
    await using fleet = await healthyOnCanary('canary-healthy-time: 30m', 'proving')
    fleet.nowMs += minute
    fleet.daemon.adopt(others)
    expect((await waits(fleet, 0)).reason).to.match(returning)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    fleet.daemon.adopt(sites)
    const { until } = await fleet.until('proving', 1)
    expect(until).to.equal(new Date(fleet.nowMs + 30 * minute).toISOString())
    fleet.nowMs += 30 * minute
    await fleet.until('done', 4)
  })

  it('A32 X20 nobody follows the only site of a batch that is taken out in its healthy time, until a person says so', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', oneByOne))
    await fleet.until('proving', 1)
    const [gone = ''] = fleet.sitesWith('2')
    fleet.daemon.adopt(sites.filter(({ name }) => name !== gone))
    const { reason, approve } = await waits(fleet, 0)
    expect(reason).to.include(`unless a person lets the others follow: ${gone} `)
    await fleet.daemon.ask(`POST /api/v1/plans/${approve}/approve`, { who: 'ann' })
    await fleet.until('proving', 1)
  })

  it('A34 nobody waits for the only site of a batch that was silent before it was taken out', async () => {
    await using fleet = await Fleet.start(filesOf('1', all))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', oneByOne))
    await fleet.until('proving', 1)
    const [gone = ''] = fleet.sitesWith('2')
    fleet.silent = gone
    await fleet.until('waiting', 0)
    fleet.daemon.adopt(sites.filter(({ name }) => name !== gone))
    await fleet.until('proving', 1)
  })
})
