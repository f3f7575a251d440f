import { expect } from 'chai'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { siteLines } from '../../../../../lib/cli/text/site-text.ts'
import { statusLines } from '../../../../../lib/cli/text/status/status-text.ts'
import { journalIn } from '../../../../../lib/journal/journal.ts'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import { everyImage, type MemoryDaemon, memoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryDatabase } from '../../../../support/memory/memory-journal.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const oneByOne = (version: string) =>
  filesOf(
    version,
    'deploy-to-sites: {sites-in-parallel: 1, healthy-time: 15m, canary-sites: {match-site-labels: try}, canary-healthy-time: 15m}',
  )

/** What the status says of the application on a site, and of the site in the deployment. */
async function shown({ daemon }: Pick<Fleet, 'daemon'>, site: string) {
  const [environment] = await daemon.ask('GET /api/v1/environments')
  const [deployment] = environment.deployments
  const rowOf = (rows: readonly { readonly site: string }[]) => rows.find(row => row.site === site)
  return { row: rowOf(environment.applications), left: rowOf(deployment.left), deployment }
}

/** A fleet of `b` and `c`, of which the canary `c` has the second version, and `b` waits for its turn. */
async function underWay(): Promise<Fleet> {
  const fleet = await Fleet.start(oneByOne('1'), pick('b', 'c', 'e'), 'auto', false, ['b', 'c'])
  for (const _ of [1, 2, 3, 4]) {
    await fleet.daemon.pass()
    fleet.nowMs += 16 * minute
  }
  fleet.commit(oneByOne('2'))
  for (const _ of [1, 2]) await fleet.daemon.pass()
  expect(fleet.runs()).to.equal('- 1 2 - -')
  return fleet
}

function pick(...names: readonly string[]) {
  return sites.filter(({ name }) => names.includes(name))
}

describe('while a version goes from site to site', () => {
  it('A25 G13 a site that joins is shown with what decides about it, and one that is not meant is not', async () => {
    await using fleet = await underWay()
    fleet.daemon.adopt(pick('b', 'c', 'd', 'e'))
    await fleet.daemon.pass()
    const { row, left, deployment } = await shown(fleet, 'd')
    expect(row).to.include({
      health: 'Missing',
      running: 0,
      wanted: 0,
      reason: 'the site is not part of the deployment shop-everywhere yet',
      code: 'not-placed',
    })
    expect(left).to.deep.equal({
      site: 'd',
      version: '',
      reason: 'has joined since, and is not part of it yet: "tallyman redeploy shop-everywhere" decides',
    })
    expect(deployment.sites).to.deep.equal({ done: 1, now: 0, toCome: 1 })
    expect((await shown(fleet, 'e')).left).to.equal(undefined)
    await fleet.daemon.ask('POST /api/v1/redeploy', { deployment: 'shop' })
    await fleet.daemon.pass()
    const after = await shown(fleet, 'd')
    expect([after.row, after.deployment.sites]).to.deep.equal([
      { ...after.row, code: 'not-its-turn', wanted: 1 },
      { done: 1, now: 0, toCome: 2 },
    ])
  })

  it('A34 G13 a site that is taken out before its turn is no longer waited for, and shown as what it is', async () => {
    await using fleet = await underWay()
    fleet.daemon.adopt(pick('c', 'e'))
    for (const _ of [1, 2]) {
      fleet.nowMs += 16 * minute
      await fleet.daemon.pass()
    }
    const { row, left, deployment } = await shown(fleet, 'b')
    expect(row).to.equal(undefined)
    expect(left).to.deep.equal({
      site: 'b',
      version: '',
      reason:
        'is not among the sites any more, or its file is wrong (see "tallyman sites"); what runs there stays',
    })
    expect([deployment.state, deployment.sites]).to.deep.equal(['done', { done: 1, now: 0, toCome: 0 }])
  })

  it('A34 G13 a site that is taken out after it had the version is only told of where it had its turn', async () => {
    await using fleet = await underWay()
    fleet.daemon.adopt(pick('b', 'e'))
    await fleet.daemon.pass()
    const { left, deployment } = await shown(fleet, 'c')
    expect(left).to.equal(undefined)
    expect(deployment.batches[0].sites).to.deep.equal([{ site: 'c', done: true }])
  })

  it('A25 A32 two sites that exchange their endpoints exchange their places: no engine gets it before it is drawn', async () => {
    await using fleet = await underWay()
    fleet.daemon.adopt(
      pick('b', 'c', 'e').map(one => {
        const other = new Map([
          ['b', 'c'],
          ['c', 'b'],
        ]).get(one.name)
        return other === undefined ? one : { ...one, endpoint: `unix:///run/${other}.sock` }
      }),
    )
    for (const _ of [1, 2, 3]) await fleet.daemon.pass()
    const { left, deployment } = await shown(fleet, 'c')
    expect(fleet.runs()).to.equal('- 1 2 - -')
    expect(left).to.deep.equal({ site: 'c', version: '1', reason: 'waits for its turn' })
    expect(deployment.batches[0].sites).to.deep.equal([{ site: 'b', done: true }])
    for (const _ of [1, 2]) {
      fleet.nowMs += 16 * minute
      await fleet.daemon.pass()
    }
    expect(fleet.runs()).to.equal('- 2 2 - -')
  })
})

describe('two sites of a deployment that are one engine', () => {
  for (const parallel of [1, 3])
    it(`A34 D17 G13 are counted once, and the second says why it gets nothing (${parallel} at a time)`, async () => {
      const { signal } = new AbortController()
      const engine = memoryEngine({ site: 'a', distribution: everyImage })
      const info = await engine.info(signal)
      const twin = { ...engine, site: 'b' }
      const other = {
        ...memoryEngine({ site: 'c', distribution: everyImage }),
        info: async () => ({ ...info, id: 'other' }),
      }
      await using daemon = await memoryDaemon({
        environments: ['prod'],
        files: filesOf('1', `deploy-to-sites: {sites-in-parallel: ${parallel}}`),
        engines: [engine, twin, other],
        config: { sites: pick('a', 'b', 'c') },
        journal: journalIn(memoryDatabase('one that draws a first')),
      })
      for (const _ of [1, 2, 3, 4, 5, 6]) await daemon.pass()
      const { row, left, deployment } = await shown({ daemon }, 'b')
      const reason = `sites: "a" and "b" are the same engine, ${info.id} on ${info.host}`
      expect(row).to.include({ sync: 'Unknown', health: 'Unknown', running: 0, reason, code: 'same-engine' })
      expect(left).to.include({ site: 'b', version: '', reason })
      expect(deployment.sites).to.deep.equal({ done: 2, now: 0, toCome: 0 })
      expect([deployment.state, deployment.reason]).to.deep.equal(['done', ''])
      const sites = await daemon.ask('GET /api/v1/sites')
      expect(sites.map(({ error }: { readonly error?: object }) => error !== undefined)).to.deep.equal([
        ...[false, true, false],
      ])
      expect(sites[1]).to.deep.include({ name: 'b', state: 'reachable' })
      expect(sites[1].error).to.include({ code: 'same-engine', message: reason })
      const table = printed(siteLines(sites), false)
      expect(table)
        .to.match(/ b +reachable, but not served /)
        .and.match(/ a +reachable +\d/)
      expect(table).to.include(`b: ${reason} (same-engine)`)
      const [environment] = await daemon.ask('GET /api/v1/environments')
      const text = printed(statusLines({ ...environment, ingress: [] }, Date.now()), false)
      expect(text).to.match(/shop +a +Synced +Healthy +1 +1\/1/)
      expect(text).to.match(/shop +b +Unknown +Unknown +0\/\? +sites: "a" and "b" are the same engine/)
    })

  it('A25 G13 if the second joins later, it says why it gets nothing, and not that a redeploy decides', async () => {
    const { signal } = new AbortController()
    const engine = memoryEngine({ site: 'a', distribution: everyImage })
    const { id, host } = await engine.info(signal)
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: filesOf('1', 'deploy-to-sites: {sites-in-parallel: 1}'),
      engines: [engine, { ...engine, site: 'b' }],
      config: { sites: pick('a') },
    })
    for (const _ of [1, 2]) await daemon.pass()
    daemon.adopt(pick('a', 'b'))
    for (const _ of [1, 2]) await daemon.pass()
    const { left, deployment } = await shown({ daemon }, 'b')
    expect(left).to.include({
      code: 'same-engine',
      reason: `sites: "a" and "b" are the same engine, ${id} on ${host}`,
    })
    expect(deployment.sites).to.deep.equal({ done: 1, now: 0, toCome: 0 })
  })

  it('A34 A25 the second is told in no batch, neither after a redeploy nor of a later version', async () => {
    const engine = memoryEngine({ site: 'a', distribution: everyImage })
    const eachAlone = 'deploy-to-sites: {sites-in-parallel: 1}'
    await using daemon = await memoryDaemon({
      environments: ['prod'],
      files: filesOf('1', eachAlone),
      engines: [engine, { ...engine, site: 'b' }],
      config: { sites: pick('a') },
    })
    for (const _ of [1, 2]) await daemon.pass()
    daemon.adopt(pick('a', 'b'))
    for (const _ of [1, 2]) await daemon.pass()
    const redeployed = await daemon.ask('POST /api/v1/redeploy', { deployment: 'shop', who: 'ann' })
    expect(redeployed, 'it comes to no other engine').to.deep.include({ joins: [], leaves: [] })
    for (const _ of [1, 2, 3]) await daemon.pass()
    expect(await drawn(daemon), 'after a redeploy').to.deep.equal(['a'])
    daemon.commit(filesOf('2', eachAlone))
    for (const _ of [1, 2, 3, 4]) await daemon.pass()
    expect(await drawn(daemon), 'of a later version').to.deep.equal(['a'])
    daemon.adopt(pick('a'))
    for (const _ of [1, 2]) await daemon.pass()
    expect(await drawn(daemon), 'once it is taken out').to.deep.equal(['a'])
  })
})

/** The sites of all batches of the newest run. */
async function drawn({ ask }: Pick<MemoryDaemon, 'ask'>): Promise<readonly string[]> {
  const [{ deployments }] = await ask('GET /api/v1/environments')
  const [{ batches }]: readonly [DeploymentStatus] = deployments
  return batches.flatMap(({ sites }) => sites.map(({ site }) => site))
}
