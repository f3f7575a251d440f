import { expect } from 'chai'
import { applyChanges, type ChangeResult } from '../../../lib/apply/apply.ts'
import { Failure } from '../../../lib/errors.ts'
import type { Change, Delivery } from '../../../lib/plan/change/change.ts'
import { describeStep } from '../../../lib/plan/step/describe.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import { createPool } from '../../../lib/reconcile/concurrency/pool.ts'
import { ingressName } from '../../../lib/state/application/ingress/route.ts'
import type { StepEvent } from '../../../lib/state/pass/step-event.ts'
import { change, digest, identity } from '../../support/builders/builders.ts'
import { removal } from '../../support/builders/changes.ts'
import { create, gate, remove, start, stop } from '../../support/builders/steps.ts'
import { timersLeft } from '../../support/measure/timers-left.ts'
import { type MemoryEngine, memoryEngine } from '../../support/memory/memory-engine.ts'
import { emptySite, perform, type SimulatedSite } from '../../support/memory/simulated-site.ts'

const pull = (name: string): Step => ({ do: 'pull-image', reference: name, digest: digest('2') })
const network = (name: string): Step => ({ do: 'create-network', network: { name } })

/** `web.1` gives way to `web.2`. */
function replacing(name: string, parts: Partial<Delivery> = {}): Change {
  const [old, young] = [`${name}.1`, `${name}.2`]
  return change({
    application: name,
    prepare: [pull(name)],
    stages: [[create(young)], [start(young)], [gate(young)], [stop(old)]],
    finish: [[remove(old)]],
    undo: [[start(old)], [gate(old)], [remove(young)]],
    ...parts,
  })
}

/** A site on which these run. */
function running(...names: readonly string[]): SimulatedSite {
  return names.flatMap(name => [create(name), start(name)]).reduce(perform, emptySite)
}

type Told = {
  readonly results: readonly string[]
  readonly failures: readonly string[]
  readonly applied: readonly string[]
  readonly untouched: readonly string[]
  readonly events: readonly StepEvent[]
}

async function applied(
  changes: readonly Change[],
  engines: readonly MemoryEngine[],
  {
    concurrency = 8,
    signal = new AbortController().signal,
    elapsedMs = 0,
    lastedMs = 0,
    order = [] as string[],
    certainly = async (): Promise<void> => undefined,
  } = {},
): Promise<Told> {
  const failures: string[] = []
  const done: string[] = []
  const untouched: string[] = []
  const events: StepEvent[] = []
  let clockMs = 0
  const places = createPool({ most: concurrency, perSite: concurrency, patienceMs: 60_000, slow: 1 })
  const results = await applyChanges(changes, {
    engine: site => {
      const engine = engines.find(engine => engine.site === site)
      if (engine === undefined) throw new Failure('internal', `no engine for ${site}`)
      return engine
    },
    provenance: { ...identity('prod'), commit: 'c1' },
    onEvent: event => events.push(event),
    onFailure: ({ service }, { code }, stopped) =>
      failures.push(`${service}: ${code}${stopped ? ', after something was stopped' : ''}`),
    onUntouched: ({ service }) => untouched.push(service),
    onUndone: () => undefined,
    onJob: (_, { container }) => {
      order.push(`${container} begins`)
      return lastedMs
    },
    onJobOver: ({ service }, trouble) =>
      order.push(`${service}: over${trouble === undefined ? '' : `, ${trouble.code}`}`),
    withDeployLock: (_change, _step, work) => work(),
    elapsedMs: () => elapsedMs,
    onApplied: ({ service }) => done.push(service),
    signal,
    nowMs: () => clockMs++,
    steadyMs: () => clockMs,
    inPool: (site, _fetches, work) => places(site, work),
    certainly,
  })
  return { results: results.map(inWords), failures, applied: done, untouched, events }
}

function inWords(result: ChangeResult): string {
  const detail =
    'failure' in result ? ` (${result.failure.code})` : 'reason' in result ? `: ${result.reason}` : ''
  return `${result.change.service} ${result.result}${detail}`
}

describe('apply', () => {
  it('D15 makes the networks of the ingress first, and holds back each service of it alone', async () => {
    const full = new Failure('address-pool-empty', 'local: no subnet is free')
    const engine = memoryEngine({ has: running(), fails: { 'create-network prod.a.ingress': full } })
    const own = (service: string, ...names: readonly string[]) =>
      change({
        application: ingressName,
        service,
        prepare: names.map(name => ({
          do: 'create-network',
          network: { name, ...(name.endsWith('.ingress') ? {} : { application: ingressName }) },
        })),
      })
    const { results } = await applied(
      [
        change({ application: 'b', prepare: [network('prod.b')] }),
        own('static-a', 'prod.a.ingress'),
        own(ingressName, 'prod.tallyman-ingress'),
      ],
      [engine],
    )
    expect(results).to.deep.equal([
      'b applied',
      'static-a failed (address-pool-empty)',
      'tallyman-ingress applied',
    ])
    expect(engine.done[0]).to.equal('create-network prod.tallyman-ingress')
  })

  it('G1 D18 tells of what was to begin and was not touched: what cannot be prepared, and what comes after it', async () => {
    const engine = memoryEngine({
      has: running('db.1', 'web.1'),
      fails: { [`pull-image db@${digest('2')}`]: new Failure('image-lacking', 'no user "nemo"') },
    })
    const web = replacing('web', { after: [{ key: 'local/db/db', must: 'succeed' }] })
    const { results, untouched, failures } = await applied([replacing('db'), web], [engine])
    expect(results).to.deep.equal(['db failed (image-lacking)', 'web skipped: local/db/db was not applied'])
    expect(untouched).to.deep.equal(['db', 'web'])
    expect(failures).to.deep.equal([])
  })

  it('D17 begins no step that changes something unless this process is the writer, whether it waits or not', async () => {
    const drain: Step = { do: 'drain', container: 'web.1', network: 'gate', members: ['web.1'] }
    const run: Step = { do: 'run-to-end', container: 'web.1', onFailure: 'abort' }
    const lost = new Failure('interrupted', 'another one is the writer')
    for (const step of [drain, run, stop('web.1')]) {
      const engine = memoryEngine({ has: running('web.1') })
      const certainly = async () => {
        throw lost
      }
      const web = replacing('web', { prepare: [], stages: [[gate('web.1')], [step]] })
      const { results, failures } = await applied([web], [engine], { certainly })
      expect(results).to.deep.equal(['web interrupted: another one is the writer'])
      expect([engine.done, failures]).to.deep.equal([['await-healthy web.1'], []])
    }
  })

  it('G1 runs the stages in order', async () => {
    const engine = memoryEngine({ has: running('web.1') })
    const { results, applied: done } = await applied([replacing('web')], [engine])
    expect(results).to.deep.equal(['web applied'])
    expect(done).to.deep.equal(['web'])
    expect(engine.done).to.deep.equal([
      `pull-image web@${digest('2')}`,
      'create-container web.2',
      'start-container web.2',
      'await-healthy web.2',
      'stop-container web.1',
      'remove-container web.1',
    ])
  })

  it('G12 waits for no other gate of a stage in which one has failed', async () => {
    const changes = [
      replacing('web', {
        stages: [
          [create('web.2'), create('web.3')],
          [start('web.2'), start('web.3')],
          [gate('web.2'), gate('web.3')],
        ],
        undo: [[remove('web.2'), remove('web.3')]],
      }),
    ]
    const engine = memoryEngine({
      has: running('web.1'),
      fails: { 'await-healthy web.3': new Failure('exited-early', 'exited with code 3') },
      waits: ['await-healthy web.2'],
    })
    const { results } = await applied(changes, [engine])
    expect(results).to.deep.equal(['web rolled-back (exited-early)'])
  })

  describe('before the first change', () => {
    it('G1 pulls every image of every change, then makes networks', async () => {
      const changes = [
        replacing('api', { prepare: [network('shop'), pull('api')] }),
        replacing('web', { prepare: [network('shop'), pull('web'), pull('log')] }),
      ]
      const engine = memoryEngine({ has: running('api.1', 'web.1') })
      await applied(changes, [engine])
      expect(engine.done.slice(0, 4)).to.deep.equal([
        `pull-image api@${digest('2')}`,
        `pull-image web@${digest('2')}`,
        `pull-image log@${digest('2')}`,
        'create-network shop',
      ])
      expect(engine.done.filter(step => step === 'create-network shop')).to.have.lengthOf(1)
    })

    it('G23 makes no volume of an application where what is mounted is refused', async () => {
      const image = { reference: 'web', pin: { state: 'pinned', digest: digest('2') } } as const
      const check: Step = { do: 'check-host-path', path: '/srv/link', within: '/srv', image, volume: 'data' }
      const volume: Step = { do: 'create-volume', volume: { name: 'data', application: 'shop' } }
      const engine = memoryEngine({
        fails: { 'check-host-path /srv/link': new Failure('policy-violation', 'it is a symlink') },
      })
      const { results } = await applied([replacing('web', { prepare: [volume, check] })], [engine])
      expect(results).to.deep.equal(['web failed (policy-violation)'])
      expect(engine.done).to.deep.equal(['check-host-path /srv/link!'])
    })

    it('D15 holds back all of an application one of whose images is missing, and nothing else', async () => {
      const changes = [
        replacing('api'),
        replacing('db', { application: 'shop', service: 'db', prepare: [] }),
        replacing('web', { application: 'shop', service: 'web' }),
      ]
      const engine = memoryEngine({
        has: running('api.1', 'db.1', 'web.1'),
        fails: { [`pull-image web@${digest('2')}`]: new Failure('image-not-found', 'no such image') },
      })
      const { results, failures } = await applied(changes, [engine])
      expect(results).to.deep.equal([
        'api applied',
        'db failed (image-not-found)',
        'web failed (image-not-found)',
      ])
      expect(failures).to.deep.equal([])
      expect(engine.done.filter(step => / (db|web)\./.test(step))).to.deep.equal([])
    })

    it('D15 does so per site', async () => {
      const missing = { [`pull-image web@${digest('2')}`]: new Failure('image-not-found', 'no such image') }
      const near = memoryEngine({ site: 'near', has: running('web.1') })
      const far = memoryEngine({ site: 'far', has: running('web.1'), fails: missing })
      const { results } = await applied(
        [replacing('web', { site: 'near' }), replacing('web', { site: 'far' })],
        [near, far],
      )
      expect(results).to.deep.equal(['web applied', 'web failed (image-not-found)'])
    })
  })

  describe('of several changes', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const old = names.map(name => `${name}.1`)

    it('runs those that have nothing to do with each other side by side', async () => {
      const engine = memoryEngine({ has: running(...old) })
      await applied(
        names.map(name => replacing(name)),
        [engine],
      )
      expect(engine.most()).to.equal(5)
    })

    it('makes no more calls at once than it may', async () => {
      const engine = memoryEngine({ has: running(...old) })
      await applied(
        names.map(name => replacing(name)),
        [engine],
        { concurrency: 2 },
      )
      expect(engine.most()).to.equal(2)
    })

    it('lets no wait for health hold a place', async () => {
      const stopping = new AbortController()
      const engine = memoryEngine({
        has: running('slow.1', 'web.1'),
        waits: ['await-healthy slow.2'],
        during: { 'remove-container web.1': () => stopping.abort() },
      })
      const { results } = await applied([replacing('slow'), replacing('web')], [engine], {
        concurrency: 1,
        signal: stopping.signal,
      })
      expect(results).to.deep.equal(['slow interrupted: stopped before it was done', 'web applied'])
    })

    it('G11 begins with a dependent once what it requires is done', async () => {
      const engine = memoryEngine({ has: running('db.1', 'web.1') })
      const web = replacing('web', { after: [{ key: 'local/db/db', must: 'succeed' }] })
      await applied([web, replacing('db')], [engine])
      const steps = engine.done.slice(2)
      expect(steps.findIndex(step => step.includes('web.'))).to.equal(5)
    })

    it('G11 skips what requires something that failed, and what requires that', async () => {
      const engine = memoryEngine({
        has: running('db.1', 'api.1', 'web.1'),
        fails: { 'await-healthy db.2': new Failure('unhealthy', 'its health check fails') },
      })
      const { results } = await applied(
        [
          replacing('db'),
          replacing('api', { after: [{ key: 'local/db/db', must: 'succeed' }] }),
          replacing('web', { after: [{ key: 'local/api/api', must: 'succeed' }] }),
        ],
        [engine],
      )
      expect(results).to.deep.equal([
        'db rolled-back (unhealthy)',
        'api skipped: local/db/db was not applied',
        'web skipped: local/api/api was not applied',
      ])
      expect(engine.done.filter(step => / (api|web)\./.test(step))).to.deep.equal([])
    })

    it('D3 removes once everything else has ended, however it ended', async () => {
      const old = removal({
        application: 'old',
        stages: [[stop('old.1')]],
        finish: [[remove('old.1')]],
        after: [{ key: 'local/web/web', must: 'end' }],
      })
      const engine = memoryEngine({
        has: running('web.1', 'old.1'),
        fails: { 'await-healthy web.2': new Failure('unhealthy', 'its health check fails') },
      })
      const { results } = await applied([old, replacing('web')], [engine])
      expect(results).to.deep.equal(['old applied', 'web rolled-back (unhealthy)'])
      expect(engine.done.slice(-2)).to.deep.equal(['stop-container old.1', 'remove-container old.1'])
    })

    it('G17 lets a site that does not answer hold up no other', async () => {
      const near = memoryEngine({ site: 'near', has: running('web.1') })
      const far = memoryEngine({
        site: 'far',
        has: running('web.1'),
        fails: { 'create-container web.2': new Failure('engine-unreachable', 'no answer') },
      })
      const { results } = await applied(
        [replacing('web', { site: 'far' }), replacing('web', { site: 'near' })],
        [near, far],
      )
      expect(results).to.deep.equal(['web failed (engine-unreachable)', 'web applied'])
    })
  })

  describe('of a change that fails', () => {
    const unhealthy = new Failure('unhealthy', 'its health check fails')

    it('G5 puts back what was, and says so', async () => {
      const engine = memoryEngine({ has: running('web.1'), fails: { 'await-healthy web.2': unhealthy } })
      const { results, failures, applied: done } = await applied([replacing('web')], [engine])
      expect(results).to.deep.equal(['web rolled-back (unhealthy)'])
      expect(failures).to.deep.equal(['web: unhealthy'])
      expect(done).to.deep.equal([])
      expect([...engine.has().containers.keys()]).to.deep.equal(['web.1'])
    })

    it('G5 remembers the failure before the first step back', async () => {
      const order: string[] = []
      const engine = memoryEngine({
        has: running('web.1'),
        fails: { 'await-healthy web.2': unhealthy },
        during: { 'start-container web.1': () => order.push('undo') },
      })
      await applyChanges([replacing('web')], {
        engine: () => engine,
        provenance: { ...identity('prod'), commit: 'c1' },
        onEvent: () => {},
        onFailure: () => order.push('remembered'),
        onUntouched: () => {},
        onUndone: () => {},
        onJob: () => 0,
        onJobOver: () => {},
        withDeployLock: (_change, _step, work) => work(),
        elapsedMs: () => 0,
        onApplied: () => {},
        signal: new AbortController().signal,
        nowMs: () => 0,
        steadyMs: () => 0,
        inPool: (_site, _fetches, work) => work(),
        certainly: async () => undefined,
      })
      expect(order).to.deep.equal(['remembered', 'undo'])
    })

    it('G5 tells whether something that served was stopped on the way', async () => {
      const recreate = replacing('web', {
        stages: [[create('web.2')], [stop('web.1')], [start('web.2')], [gate('web.2')]],
        finish: [[remove('web.1')]],
      })
      const engine = memoryEngine({ has: running('web.1'), fails: { 'await-healthy web.2': unhealthy } })
      const { failures } = await applied([recreate], [engine])
      expect(failures).to.deep.equal(['web: unhealthy, after something was stopped'])
    })

    it('D18 G5 is left as it is where somebody changed the same at the same time: nothing failed, and nothing is put back', async () => {
      const faster = new Failure('service-changed', 'somebody changed it at the same time')
      const engine = memoryEngine({ has: running('web.1'), fails: { 'await-healthy web.2': faster } })
      const noReturn = replacing('web', { noReturnAt: 0 })
      for (const one of [replacing('web'), noReturn]) {
        const { results, failures } = await applied([one], [engine], { elapsedMs: 599_999 })
        expect(results).to.deep.equal(['web failed (service-changed)'])
        expect(failures).to.deep.equal([])
        expect([...engine.has().containers.keys()]).to.deep.equal(['web.1', 'web.2'])
      }
      const long = await applied([replacing('web')], [engine], { elapsedMs: 600_000 })
      expect(long.results, 'two who fight come to an end').to.deep.equal([
        'web rolled-back (service-changed)',
      ])
      expect(long.failures).to.deep.equal(['web: service-changed'])
    })

    it('G6 has failed, and is not rolled back, when undoing fails too', async () => {
      const engine = memoryEngine({
        has: running('web.1'),
        fails: {
          'await-healthy web.2': unhealthy,
          'remove-container web.2': new Failure('engine-refused', 'busy'),
        },
      })
      const { results } = await applied([replacing('web')], [engine])
      expect(results).to.deep.equal(['web failed (unhealthy)'])
    })

    it('X12 is put back when all of it takes longer than its deadline', async () => {
      const engine = memoryEngine({ has: running('web.1'), waits: ['await-healthy web.2'] })
      const told = await applied([replacing('web', { deadlineMs: 10 })], [engine])
      expect(told.results).to.deep.equal(['web rolled-back (rollout-timeout)'])
      expect([...engine.has().containers.keys()]).to.deep.equal(['web.1'])
    })

    it('X12 leaves nothing that waits for its deadline once it has ended', async () => {
      const engine = memoryEngine({ has: running('web.1') })
      const work = () => applied([replacing('web', { deadlineMs: 21_600_000 })], [engine])
      expect(await timersLeft(work)).to.equal(0)
    })

    it('X12 is given a deadline of a year, too', async () => {
      const engine = memoryEngine({ has: running('web.1'), waits: ['await-healthy web.2'] })
      const year = 365 * 24 * 60 * 60 * 1000
      const stopped = { signal: AbortSignal.timeout(30) }
      const told = await applied([replacing('web', { deadlineMs: year })], [engine], stopped)
      expect(told.results).to.deep.equal(['web interrupted: stopped before it was done'])
    })

    describe('at a hook', () => {
      const run = (name: string): Step => ({ do: 'run-to-end', container: name, onFailure: 'abort' })
      const away = (name: string): Step => ({ do: 'put-away', container: name, keep: 3 })
      const refused = new Failure('job-failed', 'local: web.hook: exited with code 3', {
        resource: 'web.hook',
      })
      const has = running('web.1', 'web.hook')

      it('H30 after all is done: what is wanted stays, what is to be cleared away is, and the failure is told', async () => {
        const engine = memoryEngine({ has, fails: { 'run-to-end web.hook': refused } })
        const finish = [[run('web.hook')], [remove('web.1')], [away('web.hook')]]
        const told = await applied([replacing('web', { finish })], [engine])
        expect(told.results).to.deep.equal(['web failed (job-failed)'])
        expect(told.failures, 'nothing is quarantined').to.deep.equal([])
        expect(told.applied).to.deep.equal(['web'])
        expect([...engine.has().containers.keys()]).to.deep.equal(['web.2'])
      })

      it('H30 after all is done: of several that fail, the first one is told', async () => {
        const late = new Failure('job-timeout', 'local: web.last: not over within a minute')
        const engine = memoryEngine({
          has: running('web.1', 'web.hook', 'web.last'),
          fails: { 'run-to-end web.hook': refused, 'run-to-end web.last': late },
        })
        const finish = [[run('web.hook')], [run('web.last')], [remove('web.1')]]
        const told = await applied([replacing('web', { finish })], [engine])
        expect(told.results).to.deep.equal(['web failed (job-failed)'])
        expect(told.applied).to.deep.equal(['web'])
      })

      it('H29 while nothing serves: nothing is put back, and that is said loudly', async () => {
        const engine = memoryEngine({ has, fails: { 'run-to-end web.hook': refused } })
        const stages = [[create('web.2')], [stop('web.1')], [run('web.hook')], [start('web.2')]]
        const told = await applied([replacing('web', { stages, noReturnAt: 2 })], [engine])
        expect(told.results).to.deep.equal(['web failed (not-restored)'])
        expect(told.failures).to.deep.equal(['web: not-restored, after something was stopped'])
        expect(engine.has().containers.get('web.1')?.state).to.equal('exited')
      })

      it('H29 nor after a hook that went well, once the new version does not start', async () => {
        const unhealthy = new Failure('unhealthy', 'local: web.2: its health check fails')
        const engine = memoryEngine({ has, fails: { 'await-healthy web.2': unhealthy } })
        const stages = [
          [create('web.2')],
          [stop('web.1')],
          [run('web.hook')],
          [start('web.2')],
          [gate('web.2')],
        ]
        const told = await applied([replacing('web', { stages, noReturnAt: 2 })], [engine])
        expect(told.results).to.deep.equal(['web failed (not-restored)'])
        expect(engine.has().containers.get('web.1')?.state).to.equal('exited')
      })

      const hook = { ...run('web.hook'), job: 'post' } as const

      it('H22 says that it begins before it does, and that it is over, however it ends after the gate', async () => {
        const order: string[] = []
        const during = { 'run-to-end web.hook': () => order.push('it runs') }
        for (const fails of [{}, { 'run-to-end web.hook': refused }]) {
          const engine = memoryEngine({ has, fails, during })
          const told = await applied([replacing('web', { finish: [[hook]] })], [engine], { order })
          expect(told.applied).to.deep.equal(['web'])
        }
        const once = ['web.hook begins', 'it runs', 'web: over']
        expect(order).to.deep.equal([...once, ...once.slice(0, 2), 'web: over, job-failed'])
      })

      it('H30 tells that a hook failed after the gate before it clears anything away, which may fail', async () => {
        const order: string[] = []
        const busy = new Failure('engine-refused', 'local: device or resource busy')
        const fails = { 'run-to-end web.hook': refused, 'put-away web.hook': busy }
        const engine = memoryEngine({ has, fails })
        const finish = [[hook], [away('web.hook')]]
        const told = await applied([replacing('web', { finish })], [engine], { order })
        expect([told.applied, order.at(-1)]).to.deep.equal([[], 'web: over, job-failed'])
      })

      it('H22 leaves open whether it is over where it is no longer waited for, or failed before the gate', async () => {
        const order: string[] = []
        const waits = memoryEngine({ has, waits: ['run-to-end web.hook'] })
        const limited = { ...hook, timeoutMs: 60_000 }
        const stopped = { order, signal: AbortSignal.timeout(30) }
        await applied([replacing('web', { finish: [[limited]] })], [waits], stopped)
        const fails = memoryEngine({ has, fails: { 'run-to-end web.hook': refused } })
        await applied([replacing('web', { stages: [[hook]] })], [fails], { order })
        expect(order).to.deep.equal(['web.hook begins', 'web.hook begins'])
      })

      it('H4 X12 is told for how long it has lasted already, unlike an init container', async () => {
        const engine = memoryEngine({ has })
        const asked: Step[] = []
        const watched: MemoryEngine = {
          ...engine,
          execute(step, ...more) {
            asked.push(step)
            return engine.execute(step, ...more)
          },
        }
        const stages = [[run('web.1')], [hook]]
        await applied([replacing('web', { stages })], [watched], { lastedMs: 540_000 })
        expect(asked.filter(step => step.do === 'run-to-end')).to.deep.equal([
          run('web.1'),
          { ...hook, lastedMs: 540_000 },
        ])
      })

      it('H7 what is noted on its way is an event of its own', async () => {
        const note = 'try 1 failed with exit code 3'
        const engine = memoryEngine({ has, notes: { 'run-to-end web.hook': note } })
        const { events } = await applied([replacing('web', { finish: [[run('web.hook')]] })], [engine])
        const ofHook = events.filter(({ step }) => step === 'run-to-end web.hook')
        expect(ofHook.map(({ phase, note }) => [phase, note])).to.deep.equal([
          ['started', undefined],
          ['noted', note],
          ['done', undefined],
        ])
      })
    })

    it('G6 has failed when there is nothing to undo it with', async () => {
      const engine = memoryEngine({
        has: running('old.1'),
        fails: { 'stop-container old.1': new Failure('engine-refused', 'busy') },
      })
      const { results } = await applied(
        [change({ application: 'old', stages: [[stop('old.1')]], finish: [[remove('old.1')]] })],
        [engine],
      )
      expect(results).to.deep.equal(['old failed (engine-refused)'])
    })

    it('G1 keeps what passed its gate when only the removal of the old one fails', async () => {
      const engine = memoryEngine({
        has: running('web.1'),
        fails: { 'remove-container web.1': new Failure('engine-refused', 'busy') },
      })
      const { results, failures } = await applied([replacing('web')], [engine])
      expect(results).to.deep.equal(['web failed (engine-refused)'])
      expect(failures).to.deep.equal([])
      expect(engine.has().containers.get('web.2')?.state).to.equal('running')
    })

    for (const code of ['engine-unreachable', 'swarm-unavailable'] as const)
      it(`G17 undoes nothing, and blames nothing, when nobody decides there any more: ${code}`, async () => {
        const engine = memoryEngine({
          has: running('web.1'),
          fails: { 'await-healthy web.2': new Failure(code, 'no answer') },
        })
        const { results, failures } = await applied([replacing('web')], [engine])
        expect(results).to.deep.equal([`web failed (${code})`])
        expect(failures).to.deep.equal([])
        expect(engine.done.at(-1)).to.equal('await-healthy web.2!')
      })

    it('G5 lets the other steps of the stage end before it undoes', async () => {
      const two = replacing('web', {
        stages: [
          [create('web.2'), create('web.3')],
          [start('web.2'), start('web.3')],
        ],
        undo: [[remove('web.2'), remove('web.3')]],
      })
      const engine = memoryEngine({
        has: running('web.1'),
        fails: { 'start-container web.2': new Failure('port-taken', 'taken') },
      })
      await applied([two], [engine])
      expect(engine.done.slice(3)).to.deep.equal([
        'start-container web.2!',
        'start-container web.3',
        'remove-container web.2',
        'remove-container web.3',
      ])
    })
  })

  describe('when it is stopped', () => {
    it('G12 lets a running call finish and starts no more', async () => {
      const stopping = new AbortController()
      const engine = memoryEngine({
        has: running('web.1'),
        during: { 'create-container web.2': () => stopping.abort() },
      })
      const { results, failures } = await applied([replacing('web')], [engine], { signal: stopping.signal })
      expect(results).to.deep.equal(['web interrupted: stopped before it was done'])
      expect(failures).to.deep.equal([])
      expect(engine.done.at(-1)).to.equal('create-container web.2')
    })

    it('G12 ends a wait, and undoes nothing: the next pass goes on', async () => {
      const stopping = new AbortController()
      const engine = memoryEngine({
        has: running('web.1'),
        waits: ['await-healthy web.2'],
        during: { 'await-healthy web.2': () => stopping.abort() },
      })
      const { results, failures } = await applied([replacing('web')], [engine], { signal: stopping.signal })
      expect(results).to.deep.equal(['web interrupted: stopped before it was done'])
      expect(failures).to.deep.equal([])
      expect([...engine.has().containers.keys()]).to.deep.equal(['web.1', 'web.2'])
    })

    it('G12 G13 tells of a wait that the next pass takes over that it goes on there, and not that it failed', async () => {
      const superseding = new AbortController()
      const reason = new Failure('superseded', 'something else may begin')
      const engine = memoryEngine({
        has: running('web.1'),
        waits: ['await-healthy web.2'],
        during: { 'await-healthy web.2': () => superseding.abort(reason) },
      })
      const { results, events } = await applied([replacing('web')], [engine], { signal: superseding.signal })
      const words = 'something else may begin; the next pass goes on from here'
      expect(results).to.deep.equal([`web interrupted: ${words}`])
      const { step, phase, note, error } = events.at(-1) ?? {}
      expect([step, phase, note, error]).to.deep.equal(['await-healthy web.2', 'noted', words, undefined])
    })

    it('G12 touches nothing when it was stopped before it began', async () => {
      const engine = memoryEngine({ has: running('web.1') })
      const { results } = await applied([replacing('web')], [engine], { signal: AbortSignal.abort() })
      expect(results).to.deep.equal(['web interrupted: stopped before it was done'])
      expect(engine.done).to.deep.equal([])
    })
  })

  it('G25 tells of every step as it starts and ends, and how long it took', async () => {
    const engine = memoryEngine({
      has: running('web.1'),
      fails: { 'await-healthy web.2': new Failure('unhealthy', 'its health check fails') },
    })
    const { events } = await applied([replacing('web')], [engine])
    expect(
      events.map(({ atMs, stage, phase, step, durationMs, error }) =>
        [atMs, stage, phase, step.replace(digest('2'), 'digest'), durationMs, error?.code]
          .filter(part => part !== undefined)
          .join(' '),
      ),
    ).to.deep.equal([
      '0 prepare started pull-image web@digest',
      '1 prepare done pull-image web@digest 1',
      '2 change started create-container web.2',
      '3 change done create-container web.2 1',
      '4 change started start-container web.2',
      '5 change done start-container web.2 1',
      '6 change started await-healthy web.2',
      '7 change failed await-healthy web.2 1 unhealthy',
      '8 undo started start-container web.1',
      '9 undo done start-container web.1 1',
      '10 undo started await-healthy web.1',
      '11 undo done await-healthy web.1 1',
      '12 undo started remove-container web.2',
      '13 undo done remove-container web.2 1',
    ])
  })

  it('G10 G25 says of a step that did nothing on purpose only why, and not that it is done', async () => {
    const step: Step = { do: 'remove-image', reference: 'docker.io/library/web:1', digest: digest('1') }
    const why = 'left alone: a container uses it'
    const engine = memoryEngine({ skips: { [describeStep(step)]: why } })
    const { events, results } = await applied([change({ stages: [[step]] })], [engine])
    expect(results).to.deep.equal(['web applied'])
    expect(events.map(({ phase, note }) => [phase, note])).to.deep.equal([
      ['started', undefined],
      ['skipped', why],
    ])
  })
})
