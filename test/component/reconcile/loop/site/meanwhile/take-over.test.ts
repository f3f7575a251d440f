import { expect } from 'chai'
import type { Engine } from '../../../../../../lib/engine.ts'
import { Failure } from '../../../../../../lib/errors.ts'
import type { Plan } from '../../../../../../lib/plan/change/change.ts'
import { type AskedBy, takeOver } from '../../../../../../lib/reconcile/loop/site/meanwhile/take-over.ts'
import type { NewerCommit } from '../../../../../../lib/reconcile/loop/under-way.ts'
import { desiredState, type Wanted } from '../../../../../../lib/reconcile/repository/desired.ts'
import { pass } from '../../../../../../lib/reconcile/site/pass.ts'
import { sitesOf } from '../../../../../../lib/reconcile/site/site.ts'
import type { World } from '../../../../../../lib/reconcile/world.ts'
import { queueScene, version } from '../../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../../support/builders/snapshot.ts'
import { hex } from '../../../../../support/git/commit-history.ts'
import { everyImage, manifestOf, memoryWorlds, silent } from '../../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const confirmed = { skipConfirmation: true }
const [two, three] = ['2'.repeat(40), '3'.repeat(40)]

/** A rollout of `web` at tag 1 that is under way, and what is done and said when the repository has something newer. */
async function underWay(given: Partial<Engine> = {}) {
  const said: string[] = []
  const { journal, worlds, commit } = memoryWorlds({
    files: manifestOf('prod', { web: '1', other: '1' }, confirmed),
    engine: { ...memoryEngine({ distribution: everyImage }), ...given },
  })
  const [first] = worlds
  if (first === undefined) throw new Error('there is one')
  const log = {
    ...silent,
    info: (message: string, fields?: object) => said.push(`${message} ${JSON.stringify(fields)}`),
    debug: (message: string, fields?: object) => said.push(`${message} ${JSON.stringify(fields)}`),
  }
  const world = { ...first, log }
  const look = () => desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
  const before = await look()
  const [site] = sitesOf(world)
  if (site === undefined) throw new Error('there is one')
  const controller = new AbortController()
  let waits: NewerCommit | undefined
  const { plan } = await pass(site, before, { trigger: 'news', until: 'plan' }, signal)
  const begun = plan?.changes ?? []
  said.length = 0
  let busy = ['web']
  const judge = takeOver(site, before, {
    ...{ begun, underWay: () => begun.filter(({ application }) => busy.includes(application)) },
    ...{ spared: () => undefined, controller, signal },
    onWait: newer => {
      waits = newer
    },
    onStanding: () => undefined,
  })
  return {
    site,
    before,
    journal,
    said,
    /** What is being changed by now; all else has ended. */
    goesOnWith(...applications: readonly string[]): void {
      busy = [...applications]
    },
    /** Asks at a moment of the caller's choice; tells then whether the rollout is ended. */
    async asking(): Promise<(by: AskedBy) => Promise<boolean>> {
      const same = await look()
      return async by => {
        await judge(same, by)
        return controller.signal.aborted
      }
    },
    /** Which commit waits by now, and why. */
    waits: () => waits,
    /** Asks at the same time for several, of the same commit; tells whether the rollout is ended. */
    async atOnce(...asked: readonly AskedBy[]): Promise<boolean> {
      const same = await look()
      await Promise.all(asked.map(by => judge(same, by)))
      return controller.signal.aborted
    },
    /** Asks for news once the repository has these files; tells why the rollout is ended, if it is. */
    async news(files: Files, name = two): Promise<unknown> {
      commit(files, name)
      await judge(await look(), 'nobody')
      const { reason } = controller.signal
      return reason instanceof Failure ? `${reason.code}: ${reason.message}` : reason
    },
  }
}

/** Judges whether another pass may take over from one that has begun all of a plan, and ended nothing of it. */
function takingOver(world: World, before: Wanted, plan: Plan | undefined) {
  const [site] = sitesOf(world)
  if (site === undefined) throw new Error('there is one')
  const controller = new AbortController()
  const begun = plan?.changes ?? []
  const judge = takeOver(site, before, {
    ...{ begun, underWay: () => begun, spared: () => undefined, controller, signal },
    onWait: () => undefined,
    onStanding: () => undefined,
  })
  return { judge, controller }
}

/** `web` in a version that needs no approval. */
const free = (name: string): Files => ({
  ...version(name, name),
  'environments/prod/manifest.json': JSON.stringify({
    skipConfirmation: true,
    services: [{ name: 'web', containers: [{ dockerName: 'registry.example.com/web', dockerTag: name }] }],
  }),
})

const suspended = (application: string) => ({
  ...{ environment: 'prod', application, reason: 'a sale' },
  ...{ who: 'ada', atMs: 0 },
})

const goesOn = (commit: string) =>
  `a newer commit cannot take over yet: the rollout goes on ${JSON.stringify({ commit, services: ['local/web/web'] })}`

describe('the news of a commit during a rollout', () => {
  it('G12 D18 ends the wait where what that commit wants may begin', async () => {
    const { site, said, news } = await underWay()
    site.memory.convergence.setApplied('the rollout')
    const there = { networks: ['prod.web'], volumes: [] }
    site.memory.surroundings.setKnown(there)
    expect(await news(manifestOf('prod', { web: '2', other: '1' }, confirmed))).to.equal(
      `superseded: superseded by commit ${two}`,
    )
    expect(said).to.deep.equal([`a newer commit supersedes the rollout ${JSON.stringify({ commit: two })}`])
    // The judgement leaves nothing behind for the rollout.
    expect(site.memory.convergence.applied()).to.deep.equal({ planId: 'the rollout' })
    expect(site.memory.surroundings.known()).to.deep.equal(there)
  })

  it('G12 is none where the ref means the commit that is under way', async () => {
    const { said, news } = await underWay()
    expect(await news(manifestOf('prod', { web: '2' }, confirmed), '1'.repeat(40))).to.equal(undefined)
    expect(said).to.deep.equal([])
  })

  it('G12 G5 ends the wait for what has ended before, if a person asks for it, whatever asks besides', async () => {
    for (const [asked, isEnded] of [
      [['nobody'], false],
      [['a-person'], true],
      [['a-person', 'nobody'], true],
    ] as const) {
      const { atOnce } = await underWay()
      expect(await atOnce(...asked), asked.join()).to.equal(isEnded)
    }
  })

  it('G12 G14 heeds what a person asked for once nothing keeps it from that any more', async () => {
    const { atOnce, journal } = await underWay()
    journal.suspend(suspended('web'))
    expect(await atOnce('a-person')).to.equal(false)
    journal.resume('prod', 'web')
    expect(await atOnce('nobody')).to.equal(true)
  })

  it('G5 G12 heeds what a person asked for about what has ended, however much later it can begin', async () => {
    const { atOnce, journal } = await underWay()
    journal.suspend(suspended('other'))
    expect(await atOnce('a-person')).to.equal(false)
    journal.resume('prod', 'other')
    expect(await atOnce('nobody')).to.equal(true)
  })

  it('G5 G12 heeds what a person asked for while it was judged how it stood before', async () => {
    const memory = memoryEngine({ distribution: everyImage })
    const onObserve: (() => void)[] = []
    const scene = await underWay({
      observe: async (scope, signal) => {
        onObserve.shift()?.()
        return memory.observe(scope, signal)
      },
    })
    const ask = await scene.asking()
    scene.journal.suspend(suspended('other'))
    let asked: Promise<boolean> | undefined
    onObserve.push(
      () => {
        asked = ask('a-person')
      },
      () => scene.journal.resume('prod', 'other'),
    )
    await ask('nobody')
    expect(await asked).to.equal(true)
  })

  it('A33 G5 heeds a word that lets it be tried again, whatever has it judged then', async () => {
    const { site, atOnce } = await underWay()
    site.memory.convergence.forget()
    expect(await atOnce('nobody')).to.equal(true)
  })

  it('G5 G12 tries nothing again that ended only after a person asked', async () => {
    const { goesOnWith, atOnce } = await underWay()
    goesOnWith('web', 'other')
    expect(await atOnce('a-person')).to.equal(false)
    goesOnWith('web')
    expect(await atOnce('nobody')).to.equal(false)
    expect(await atOnce('a-person')).to.equal(true)
  })

  it('A12 G12 ends the wait when somebody holds its application at another version, also of the same commit', async () => {
    const scene = await queueScene({ 1: free('1'), 2: free('2'), 3: free('3') })
    for (const at of ['1', '2']) await scene.at(at)
    scene.open()
    scene.newest('3')
    const look = () => desiredState(scene.world, { maxAgeMs: 0, lastGood: true }, signal)
    const before = await look()
    const { plan } = await scene.passUntil(/^await-healthy/)
    const { judge, controller } = takingOver(scene.world, before, plan)
    await judge(await look(), 'nobody')
    expect(controller.signal.aborted).to.equal(false)
    const { environment } = before.desired
    const held = { application: 'web', version: '1', commit: hex('1', 40), reason: '', who: 'ann', atMs: 0 }
    scene.world.journal.holdVersion({ environment, ...held })
    await judge(await look(), 'nobody')
    expect(String(controller.signal.reason)).to.include(`superseded by commit ${hex('1', 40)}`)
  })

  it('G12 D18 lets the rollout go on while the newer one waits for a person, which is told once for each commit', async () => {
    const { said, waits, news } = await underWay()
    const unconfirmed = manifestOf('prod', { web: '2', other: '1' })
    expect(await news(unconfirmed)).to.equal(undefined)
    expect(await news(unconfirmed)).to.equal(undefined)
    expect(said).to.deep.equal([goesOn(two)])
    expect(await news(unconfirmed, three)).to.equal(undefined)
    expect(said).to.deep.equal([goesOn(two), goesOn(three)])
    const subject = waits()?.subject
    expect(waits()).to.deep.equal({ commit: three, subject, reason: 'local/web/web needs an approval in it' })
    await news(manifestOf('prod', { web: '1', other: '1' }, confirmed), '1'.repeat(40))
    expect(waits(), 'nothing newer is wanted any more').to.equal(undefined)
  })

  it('D15 D18 lets the rollout go on where the newer one blocks its application, and only then', async () => {
    const distribution: Engine['distribution'] = (reference, signal) =>
      reference.endsWith(':bad')
        ? Promise.reject(new Failure('image-not-found', `${reference}: there is none`))
        : everyImage(reference, signal)
    const blocked = await underWay({ distribution })
    expect(await blocked.news(manifestOf('prod', { web: 'bad', other: '1' }, confirmed))).to.equal(undefined)
    expect(blocked.said).to.deep.equal([goesOn(two)])
    expect(blocked.waits()?.reason).to.equal('web is blocked in it')
    const besides = await underWay({ distribution })
    expect(await besides.news(manifestOf('prod', { web: '2', other: 'bad' }, confirmed))).to.include(
      'superseded',
    )
  })

  it('G14 D18 lets the rollout go on while its application is suspended, and only then', async () => {
    const later = manifestOf('prod', { web: '2', other: '2' }, confirmed)
    const own = await underWay()
    own.journal.suspend(suspended('web'))
    expect(await own.news(later)).to.equal(undefined)
    expect(own.said).to.deep.equal([goesOn(two)])
    expect(own.waits()?.reason).to.equal('local/web/web is suspended: a sale')
    const besides = await underWay()
    besides.journal.suspend(suspended('other'))
    expect(await besides.news(later)).to.include('superseded')
  })

  it('G17 D18 lets the rollout go on while its site does not answer', async () => {
    let isDown = false
    const memory = memoryEngine({ distribution: everyImage })
    const { said, waits, news } = await underWay({
      observe: async (scope, signal) => {
        if (isDown) throw new Failure('engine-unreachable', 'local: no answer')
        return memory.observe(scope, signal)
      },
    })
    isDown = true
    expect(await news(manifestOf('prod', { web: '2' }, confirmed))).to.equal(undefined)
    expect(said).to.deep.equal([goesOn(two)])
    expect(waits()?.reason).to.equal('local: no answer')
  })

  it('G12 D15 lets the rollout go on where the newer one cannot be read', async () => {
    const { said, waits, news } = await underWay()
    expect(await news({ 'environments/prod/manifest.json': '{' })).to.equal(undefined)
    expect(said).to.deep.equal([goesOn(two)])
    expect(waits()?.reason).to.equal('it cannot be read')
  })

  it('A62 G12 lets an upgrade that has begun go on where the window closed before the newer one came', async () => {
    for (const isOpen of [true, false]) {
      const scene = await queueScene({
        1: free('1'),
        2: free('2'),
        3: free('3'),
      })
      await scene.at('2')
      scene.open()
      const look = () => desiredState(scene.world, { maxAgeMs: 0, lastGood: true }, signal)
      const before = await look()
      const { plan } = await scene.passUntil(/^await-healthy/)
      if (!isOpen) scene.close()
      scene.newest('3')
      const { judge, controller } = takingOver(scene.world, before, plan)
      await judge(await look(), 'nobody')
      expect([plan?.changes.length, controller.signal.aborted]).to.deep.equal([1, isOpen])
    }
  })
})
