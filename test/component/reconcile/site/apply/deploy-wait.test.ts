import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { keyOf } from '../../../../../lib/plan/change/change.ts'
import type { Step } from '../../../../../lib/plan/step/step.ts'
import { createMemory } from '../../../../../lib/reconcile/memory.ts'
import { withDeployLock } from '../../../../../lib/reconcile/site/apply/deploys.ts'
import { elapsedMs } from '../../../../../lib/reconcile/site/apply/elapsed.ts'
import { createSiteMemory } from '../../../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { change, desired } from '../../../../support/builders/builders.ts'
import { failureOf } from '../../../../support/failures/failure-of.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const minute = 60_000
const never = new AbortController().signal

/** Lets everything that was resolved be told. */
const told = () => new Promise(resolve => setImmediate(resolve))

/** A change whose deploy comes while another version is being deployed on another site. */
async function scene() {
  const journal = memoryJournal()
  const state: DesiredState = desired({ tag: '2' })
  const one = change({ deploys: ['d2'] })
  const { site, application, service, target, release } = one
  const key = { environment: state.environment, site, application, service }
  journal.beginAttempt({ ...key, target, release, atMs: 0 })
  let clockMs = 0
  /** What a process has that is started then. */
  const started = () => {
    const clock = { nowMs: () => clockMs, steadyMs: () => clockMs }
    const world: Partial<World> = { ...clock, journal, memory: createMemory() }
    return { world: world as World, engine: memoryEngine({ site }), memory: createSiteMemory() }
  }
  const here = started()
  const { deploys } = here.world.memory
  const other = await deploys.enter(
    { site: 'other', application, version: 'd1', container: 'prod.web.deploy.1' },
    () => undefined,
    never,
  )
  const step: Step = { do: 'run-to-end', container: 'prod.web.deploy.2', onFailure: 'abort', job: 'deploy' }
  return {
    ...{ here, started, other, deploys, journal },
    pass(ms: number) {
      clockMs += ms
    },
    run: (work: () => Promise<void>, signal = never, on = here) =>
      withDeployLock(on, state)(one, step, work, {
        signal,
        note: () => undefined,
        pause: () => () => undefined,
      }),
    /** For how long the rollout has lasted, as that process has it. */
    lasted: (on: ReturnType<typeof started>) =>
      elapsedMs(on, journal.attempts(state.environment, site).get(keyOf(one)), one) / minute,
    /** Whether a version that comes next may be deployed elsewhere. */
    async mayGoOn() {
      let may = false
      const deploy = { site: 'third', application, version: 'd3', container: 'prod.web.deploy.3' }
      void deploys
        .enter(deploy, () => undefined, never)
        .then(() => {
          may = true
        })
      await told()
      return may
    },
  }
}

describe('a rollout that waits for the deploy of another version on another site', () => {
  it('X12 P5 takes as long as what is its own, whichever process goes on with it, and in whatever state it was left', async () => {
    const { here, started, other, pass, run, lasted } = await scene()
    pass(10 * minute)
    const deploying = Promise.withResolvers<void>()
    const done = run(() => deploying.promise)
    pass(35 * minute)
    expect(lasted(started()), 'started while it waits').to.equal(10)
    other.over()
    await told()
    expect(lasted(started()), 'started once it has waited').to.equal(10)
    pass(5 * minute)
    expect(lasted(started()), 'started while it deploys').to.equal(15)
    deploying.resolve()
    await done
    expect(lasted(here)).to.equal(15)
  })

  it('X12 P5 does so, too, where the process ended in the middle of the wait, and the next one need not wait', async () => {
    const { started, pass, run, lasted } = await scene()
    const ending = new AbortController()
    const cut = failureOf(run(async () => undefined, ending.signal))
    pass(35 * minute)
    ending.abort(new Failure('interrupted', 'it ends'))
    await cut
    pass(60 * minute)
    const next = started()
    expect(lasted(next)).to.equal(0)
    await run(async () => pass(5 * minute), never, next)
    expect([lasted(next), lasted(started())]).to.deep.equal([5, 5])
  })
})

describe('a deploy whose wait ends', () => {
  const ends: readonly (readonly [string, Failure, boolean])[] = [
    ['with the end of the deploy', new Failure('job-failed', 'exited with code 1'), true],
    ['with an answer that says nothing of it', new Failure('engine-refused', 'HTTP 500'), false],
    ['with silence', new Failure('engine-unreachable', 'it does not answer'), false],
    ['with a defect', new Failure('internal', 'a defect'), false],
  ]
  for (const [how, failure, may] of ends)
    it(`P5 ${how} ${may ? 'lets' : 'does not let'} another version be deployed elsewhere`, async () => {
      const { other, run, mayGoOn } = await scene()
      other.over()
      expect(
        await failureOf(
          run(async () => {
            throw failure
          }),
        ),
      ).to.equal(failure)
      expect(await mayGoOn()).to.equal(may)
    })

  it('P5 by another commit does not, until a look at its site shows that it runs no more', async () => {
    const { other, run, mayGoOn, deploys } = await scene()
    other.over()
    const ending = new AbortController()
    const cut = failureOf(
      run(
        () =>
          new Promise((_, reject) =>
            ending.signal.addEventListener('abort', () => reject(ending.signal.reason)),
          ),
      ),
    )
    await told()
    ending.abort(new Failure('interrupted', 'it ends'))
    await cut
    expect(await mayGoOn()).to.equal(false)
    deploys.seen('local', [])
    expect(await mayGoOn()).to.equal(true)
  })

  it('P5 G25 is never taken a turn for where the journal fails before, and leaves it where that fails after', async () => {
    for (const call of ['attempts', 'attemptGoesOn'] as const) {
      const { here, other, run, mayGoOn, deploys, journal } = await scene()
      const failing = {
        ...journal,
        insist: <T>(work: () => T) => work(),
        [call]: () => {
          throw new Failure('journal-unusable', 'an I/O error')
        },
      }
      const on = { ...here, world: { ...here.world, journal: failing } }
      const failed = failureOf(run(async () => undefined, never, on))
      other.over()
      expect((await failed).code).to.equal('journal-unusable')
      deploys.seen('local', [])
      expect(await mayGoOn(), call).to.equal(true)
    }
  })
})
