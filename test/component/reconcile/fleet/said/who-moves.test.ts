import { expect } from 'chai'
import type { Journal } from '../../../../../lib/journal/journal.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import type { DeploymentStatus } from '../../../../../lib/reconcile/status/deployment/deployment-status.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import { memoryDaemon, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf, minute, sites } from '../scene.ts'

const { signal } = new AbortController()
const canary = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-healthy-time: 15m}'

const byWord = 'deploy-to-sites: {canary-sites: {match-site-labels: try}, canary-continue-by-action: true}'

type Other = { readonly journal: Journal; readonly rivalIn?: readonly string[] }

/** What another process works with that runs the environment of a fleet, too. */
function partsOf(fleet: Fleet, { journal, rivalIn = [] }: Other) {
  return {
    ...{ environments: ['prod'], files: fleet.files, engines: [...fleet.engines.values()] },
    ...{ journal, rivalIn, config: { sites } },
    clock: { nowMs: () => fleet.nowMs, steadyMs: () => fleet.nowMs },
  }
}

function command(fleet: Fleet, other: Other): World {
  const [world] = memoryWorlds(partsOf(fleet, other)).worlds
  return world ?? expect.fail('no world')
}

function run(world: World, until: 'plan' | 'apply'): Promise<PassResult> {
  const answer = { who: 'ann', via: 'flag' } as const
  const freshness = { maxAgeMs: 0, lastGood: true }
  return round(
    world,
    { trigger: 'command', until, freshness, ...(until === 'plan' ? {} : { answer }) },
    signal,
  )
}

/** All that a journal knows of the deployment of `shop`. */
function known(journal: Journal): unknown {
  const found = journal.run('prod', 'shop')
  return [found, found && journal.facts(found.id, 0), [...journal.placements('prod')]]
}

/** A fleet of which two sites have the version, healthy for long enough. Its daemon has not looked since, and does not. */
async function dueForTheNextBatch(): Promise<Fleet> {
  const fleet = await Fleet.start(filesOf('1'))
  await fleet.until('proving', 2)
  await fleet.daemon[Symbol.asyncDispose]()
  fleet.nowMs += 15 * minute
  return fleet
}

describe('a process that does not write to the sites', () => {
  it('D17 A32 moves no deployment of the daemon beside it: `apply` draws no batch, and tells no fact', async () => {
    await using fleet = await dueForTheNextBatch()
    const before = known(fleet.journal)
    const { errors } = await run(command(fleet, { journal: fleet.journal, rivalIn: ['prod'] }), 'apply')
    expect(errors.map(({ code }) => code)).to.include('another-writer')
    expect(known(fleet.journal)).to.deep.equal(before)
    await fleet.restart()
    await fleet.until('proving', 4)
  })

  it('D17 D4 says who writes, and not that the plan has changed, if only one plan may be applied', async () => {
    await using fleet = await dueForTheNextBatch()
    const other = { journal: fleet.journal, rivalIn: ['prod'] }
    const { plan } = await run(command(fleet, other), 'plan')
    const before = known(fleet.journal)
    const { errors } = await round(
      command(fleet, other),
      {
        trigger: 'command',
        until: 'apply',
        freshness: { maxAgeMs: 0, lastGood: true },
        onlyPlan: plan?.id ?? '',
      },
      signal,
    )
    expect(new Set(errors.map(({ code }) => code))).to.deep.equal(new Set(['another-writer']))
    expect(known(fleet.journal)).to.deep.equal(before)
  })

  it('D17 A32 has the claims on all sites before `apply` draws a batch', async () => {
    await using fleet = await dueForTheNextBatch()
    const before = known(fleet.journal)
    const atClaims: unknown[] = []
    for (const { claims } of fleet.engines.values()) {
      const { create } = claims
      const claiming = (...asked: Parameters<typeof create>) => {
        if (!asked[0].includes('-wrote-')) atClaims.push(known(fleet.journal))
        return create(...asked)
      }
      Object.assign(claims, { create: claiming })
    }
    await run(command(fleet, { journal: fleet.journal }), 'apply')
    expect(atClaims).to.deep.equal([...fleet.engines].map(() => before))
    expect(known(fleet.journal)).not.to.deep.equal(before)
  })

  it('D17 A32 moves none by a plan either, whoever writes', async () => {
    await using fleet = await dueForTheNextBatch()
    const before = known(fleet.journal)
    for (const rivalIn of [['prod'], []])
      await run(command(fleet, { journal: fleet.journal, rivalIn }), 'plan')
    expect(known(fleet.journal)).to.deep.equal(before)
  })

  it('D17 A32 begins none on another machine, with a journal of its own', async () => {
    await using fleet = await dueForTheNextBatch()
    const journal = memoryJournal()
    await run(command(fleet, { journal, rivalIn: ['prod'] }), 'apply')
    expect(known(journal)).to.deep.equal([undefined, undefined, []])
  })

  it('D17 A32 begins none while it stands by, and brings it to the sites that are left once it takes over', async () => {
    await using fleet = await dueForTheNextBatch()
    const [journal, rivalIn] = [memoryJournal(), ['prod']]
    const before = [...fleet.engines].map(([site, { done }]) => [site, done.length] as const)
    await using standby = await memoryDaemon(partsOf(fleet, { journal, rivalIn }))
    for (const _ of [1, 2]) await standby.pass()
    expect(known(journal)).to.deep.equal([undefined, undefined, []])
    const [{ deployments }] = await standby.ask('GET /api/v1/environments')
    expect(deployments.map((one: DeploymentStatus) => [one.state, one.reason, one.sites])).to.deep.equal([
      [
        'waiting',
        'another tallyman writes to a, b, c and 1 more, and brings it on',
        { done: 2, now: 0, toCome: 2 },
      ],
    ])
    expect(deployments[0].approve).to.equal(undefined)
    rivalIn.length = 0
    await waitUntil('all sites have it', async () => {
      await standby.pass()
      fleet.nowMs += 15 * minute
      return fleet.runs() === '1 1 1 1 -'
    })
    for (const [site, steps] of before)
      if (steps > 0) expect(fleet.engines.get(site)?.done, `${site} is not touched`).to.have.length(steps)
  })
})

describe('a process that wrote to the sites before, and stands by now', () => {
  /** Its canary has version 2, and it waits for a word. Then another process brings a version to the sites in `have`. */
  async function formerWriter(version: string, have: readonly string[]) {
    const fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    fleet.commit(filesOf('2', byWord))
    await fleet.until('waiting', 1)
    const { approve } = await fleet.status()
    await fleet.daemon[Symbol.asyncDispose]()
    fleet.files = filesOf(version, have.length === 4 ? '' : byWord)
    const other = await memoryDaemon(partsOf(fleet, { journal: memoryJournal() }))
    await waitUntil('the other one has brought it there', async () => {
      await other.pass()
      return have.every(site => fleet.versionOn(site) === version)
    })
    await other[Symbol.asyncDispose]()
    fleet.files = filesOf(version, byWord)
    return { fleet, approve }
  }
  const cases: readonly (readonly [version: string, have: readonly string[], state: string])[] = [
    ['2', ['c'], 'waiting'],
    ['2', ['a', 'b', 'c', 'd'], 'done'],
    ['3', ['c'], 'waiting'],
    ['3', ['a', 'b', 'c', 'd'], 'done'],
  ]
  for (const [version, have, state] of cases)
    it(`D17 tells that ${have.length} have version ${version}, who brings it on, and no word to give`, async () => {
      const { fleet, approve } = await formerWriter(version, have)
      await using _ = fleet
      expect(approve).to.match(/^[0-9a-f]{16}$/)
      await using standby = await memoryDaemon(partsOf(fleet, { journal: fleet.journal, rivalIn: ['prod'] }))
      for (const _ of [1, 2]) await standby.pass()
      const [{ deployments, sync }] = await standby.ask('GET /api/v1/environments')
      expect(sync, 'G13 what was seen does not depend on who writes').to.equal(
        state === 'done' ? 'Synced' : 'OutOfSync',
      )
      const { version: brought, state: told, reason, sites: counts, approve: offered } = deployments[0]
      expect([brought, told, reason, counts, offered]).to.deep.equal([
        version,
        state,
        `another tallyman writes to a, b, c and 1 more${state === 'done' ? '' : ', and brings it on'}`,
        { done: have.length, now: 0, toCome: 4 - have.length },
        undefined,
      ])
    })
})

describe('a process that writes to some sites, while another one writes to others', () => {
  /** All sites have version 1, version 2 is wanted, and no daemon runs. Another process writes to `a`. */
  async function shared() {
    const fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.daemon[Symbol.asyncDispose]()
    fleet.files = filesOf('2', 'deploy-to-sites: {sites-in-parallel: 4}')
    const id = (await fleet.engines.get('a')?.info(signal))?.id
    return { fleet, rivalOn: [id ?? ''] }
  }

  it('D17 A32 draws only the sites that it writes to, if it is a daemon, and says why the others wait', async () => {
    const { fleet, rivalOn } = await shared()
    await using _ = fleet
    await using daemon = await memoryDaemon({ ...partsOf(fleet, { journal: memoryJournal() }), rivalOn })
    await waitUntil('they have it', async () => {
      await daemon.pass()
      return fleet.runs() === '1 2 2 2 -'
    })
    await daemon.pass()
    const [{ deployments }] = await daemon.ask('GET /api/v1/environments')
    expect(deployments[0].reason).to.equal('all sites have it but a (another tallyman writes there)')
    expect(
      deployments[0].batches[0].sites.map(({ site }: { readonly site: string }) => site),
    ).to.have.members(['b', 'c', 'd'])
  })

  it('D17 A32 draws nobody if it is a command, because its journal may be that of a daemon', async () => {
    const { fleet, rivalOn } = await shared()
    await using _ = fleet
    const { journal } = fleet
    const before = known(journal)
    const [world] = memoryWorlds({ ...partsOf(fleet, { journal }), rivalOn }).worlds
    await run(world ?? expect.fail('no world'), 'apply')
    expect([known(journal), fleet.runs()]).to.deep.equal([before, '1 1 1 1 -'])
  })
})

describe('apply without a daemon', () => {
  async function applied(fleet: Fleet): Promise<void> {
    await run(command(fleet, { journal: fleet.journal }), 'apply')
  }

  it('A32 A34 looks at the sites of the last batch once more before it draws the next one', async () => {
    await using fleet = await Fleet.start(filesOf('1', ''))
    await fleet.until('done', 4)
    await fleet.daemon[Symbol.asyncDispose]()
    fleet.files = filesOf('2', canary)
    for (const _ of [1, 2]) await applied(fleet)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    fleet.nowMs += 15 * minute
    fleet.silent = 'c'
    await applied(fleet)
    expect(fleet.runs()).to.equal('1 1 2 1 -')
    fleet.silent = ''
    for (const _ of [1, 2]) await applied(fleet)
    expect(fleet.runs(), 'its time begins anew').to.equal('1 1 2 1 -')
    fleet.nowMs += 15 * minute
    await applied(fleet)
    expect(fleet.runs()).to.equal('2 2 2 2 -')
  })
})
