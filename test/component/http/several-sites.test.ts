import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { progress } from '../../../lib/http/progress.ts'
import { createPassEnds } from '../../../lib/reconcile/loop/pass-ends.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { change, identity } from '../../support/builders/builders.ts'
import { plan } from '../../support/builders/journal-builders.ts'
import { refused } from '../../support/failures/refused.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const names = ['store-1', 'store-2']

describe('the plan of several sites', () => {
  it('D4 is told with how it ended to who comes later', async () => {
    await using scene = await stores()
    const { waiting } = await scene.status()
    await scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    for (let count = 0; count < 2; count += 1) await scene.daemon.pass()
    expect(await refused(scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`))).to.match(
      /^plan-answered: plan \w+ was approved by ann at TIME and ended as applied \(pass \d+, TIME\)$/,
    )
  })

  it('G13 G17 is answered without a wait for a site that rolls out, which is named', async () => {
    await using scene = await stores()
    scene.hold('await-healthy')
    const [first] = scene.plans()
    await scene.daemon.ask(`POST /api/v1/plans/${first}/approve`)
    const [running] = scene.daemon.control.running
    const isRollingOut = () => (running?.loop.sites().get('store-1')?.running?.changes.length ?? 0) > 0
    await waitUntil('store-1 rolls out', isRollingOut)
    let answer = ''
    const asked = refused(scene.daemon.ask('POST /api/v1/plans/ffff/approve')).then(said => {
      answer = said
    })
    await waitUntil('it is answered', () => answer !== '')
    expect(answer).to.match(
      /^plan-changed: plan ffff does not wait for an answer; .*; a rollout of prod is under way on store-1$/,
    )
    await asked
  })

  it('D4 G13 stays approved in the status of a site that takes longer than another one', async () => {
    await using scene = await stores()
    const { waiting } = await scene.status()
    const [first] = scene.plans()
    scene.hold('observe')
    const told = await scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    const [running] = scene.daemon.control.running
    await running?.ends.until(
      () =>
        running.ends.worked('store-2', told.from, waiting.plan) !== undefined &&
        running.loop.state().unverified.length === 0,
      unlessItHangs(),
    )
    const shown = await scene.status()
    expect(shown).to.not.have.property('waiting')
    expect(shown.approved).to.include({ plan: first, who: 'ann' })
  })

  it('D4 G13 waits in the status where nobody has answered', async () => {
    await using scene = await stores()
    const [first, second] = scene.plans()
    scene.daemon.journal.approve({
      environment: 'prod',
      planId: first ?? '',
      commit: '1'.repeat(40),
      who: 'ann',
      via: 'control',
      parts: [{ site: 'store-1', planId: first ?? '', commit: '1'.repeat(40), items: [] }],
      atMs: Date.now(),
      expiresAtMs: Date.now() + 60_000,
    })
    expect((await scene.status()).waiting).to.include({ plan: second })
  })

  it('D4 counts in its environment alone, also once it was carried out', async () => {
    await using scene = await stores({ environments: ['prod', 'devel'] })
    const { waiting } = await scene.status()
    await scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`)
    for (let count = 0; count < 2; count += 1) await scene.daemon.pass()
    expect(
      await refused(scene.daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { environment: 'devel' })),
    ).to.equal(`wrong-usage: plan ${waiting.plan} belongs to the environment prod, not to devel`)
  })
})

describe('what is followed of a plan', () => {
  it('G17 ends with the sites that the plan is of, however long another one takes', async () => {
    await using scene = await stores()
    scene.hold('await-healthy')
    const [first, second] = scene.plans()
    await scene.daemon.ask(`POST /api/v1/plans/${first}/approve`)
    const told = await scene.daemon.ask(`POST /api/v1/plans/${second}/approve`)
    const [running] = scene.daemon.control.running
    await running?.ends.until(
      () => running.ends.worked('store-2', told.from, second ?? '') !== undefined,
      unlessItHangs(),
    )
    const { ended } = await scene.daemon.ask(
      `GET /api/v1/environments/prod/progress?plan=${second}&from=${told.from}&look=${told.look}&after=1000000`,
    )
    expect(ended).to.include({ outcome: 'applied', waiting: 0 })
  })

  it('G13 A34 ends as the pass over each site did that carried out the plan of that site, and names those that are not reached', async () => {
    const journal = memoryJournal()
    const parts = names.map(site => ({ site, planId: `plan of ${site}`, commit: 'c1', items: [] }))
    const said = { environment: 'prod', planId: 'both', commit: 'c1', who: 'ann', via: 'control' } as const
    journal.approve({ ...said, parts, atMs: 1_000, expiresAtMs: 9_000 })
    const ends = createPassEnds()
    const told = (site: string, planId: string, outcome: PassResult['outcome']): PassResult => ({
      site,
      outcome,
      sync: 'Synced',
      errors: [],
      plan: { ...plan(), id: planId },
      waiting: [],
      results: [{ change: change({ site }), result: 'applied' }],
      status: [],
    })
    const silence = {
      code: 'engine-unreachable',
      message: 'no answer',
      hint: 'Look.',
      retry: 'backoff',
    } as const
    const away = {
      ...told('store-3', 'none', 'unreachable'),
      ...{ results: [], unreachable: [{ ...silence, resource: 'store-3' }] },
    }
    const last = [...names.map(site => told(site, 'a later plan', 'in-sync')), away]
    for (const site of names) {
      ends.tell(told(site, 'a repair', 'rolled-back'))
      ends.tell(told(site, `plan of ${site}`, 'applied'))
    }
    const [whole] = last
    if (whole === undefined) throw new Error('no site')
    const place = { name: 'prod', directory: 'environments/prod' }
    const memory = createMemory()
    memory.names.setPlace(place, [])
    memory.names.setIdentity({ ...identity('prod'), directory: place.directory })
    const world: Partial<World> = { journal, environment: place.directory, memory }
    const loop = {
      request: () => 1,
      event: () => undefined,
      isSettled: () => true,
      isKnown: () => true,
      sites: () => new Map(),
      site: () => undefined,
      looks: () => ({ lookingSinceMs: undefined, nextMs: undefined, unread: undefined }),
      state: () => ({ unverified: [], reached: [], tries: [], last: { ...whole, parts: last } }),
      desired: () => whole.desired,
      ended: Promise.resolve(),
    }
    const followed = await progress(
      { running: [{ world: world as World, loop, ends }], journal, nowMs: () => 2_000 },
      { environment: 'prod', plan: 'both', from: '0', look: '1', after: '0' },
    )
    expect(followed.ended?.outcome).to.equal('applied')
    expect(followed.ended?.unreachable?.map(({ resource }) => resource)).to.deep.equal(['store-3'])
  })
})

/** Two stores that wait for `web`. */
async function stores({ environments = ['prod'] } = {}) {
  const still = Promise.withResolvers<void>()
  let held: 'observe' | 'await-healthy' | undefined
  const engines = names.map((site, index): Engine => {
    const engine = memoryEngine({ site, distribution: everyImage })
    const holds = (what: typeof held) => index === 0 && held === what
    return {
      ...engine,
      async observe(...given) {
        if (holds('observe')) await still.promise
        return engine.observe(...given)
      },
      async execute(step, ...more) {
        if (step.do === 'await-healthy' && holds('await-healthy')) await still.promise
        return engine.execute(step, ...more)
      },
    }
  })
  const daemon = await memoryDaemon({
    environments,
    files: Object.assign({}, ...environments.map(one => manifestOf(one, { web: '1' }))),
    engines,
    config: { sites: names.map(name => ({ name, endpoint: `unix:///run/${name}.sock` })) },
  })
  await daemon.pass()
  return {
    daemon,
    status: async () => (await daemon.ask('GET /api/v1/environments'))[0],
    /** The ids of the plans of the stores. */
    plans: () => (daemon.results()[0]?.parts ?? []).map(part => part.plan?.id),
    /** The first store does not get past that from now on. */
    hold(what: 'observe' | 'await-healthy') {
      held = what
    },
    async [Symbol.asyncDispose]() {
      still.resolve()
      await daemon[Symbol.asyncDispose]()
    },
  }
}
