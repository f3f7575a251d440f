import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import { beforeTarget, type Change } from '../../../lib/plan/change/change.ts'
import { diff } from '../../../lib/plan/compare/diff.ts'
import { untouchedIn } from '../../../lib/plan/compare/untouched.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import type { Decision } from '../../../lib/reconcile/site/decision/compare-and-plan.ts'
import { openRecorder, type PassRecorder } from '../../../lib/reconcile/site/record/record.ts'
import { createSiteMemory } from '../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../lib/state/running/live.ts'
import { desired, live, without } from '../../support/builders/builders.ts'
import { restoration } from '../../support/builders/changes.ts'
import { onlyChange, planOf } from '../../support/builders/planning.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

const unhealthy = new Failure('unhealthy', 'web.1 is not healthy')

/** One pass over `local`, as far as it is written down. */
function passOn(journal: Journal, state: DesiredState, runs: LiveState, nowMs = 0): PassRecorder {
  const world: Partial<World> = {
    journal,
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    memory: createMemory(),
  }
  const site = { world: world as World, engine: memoryEngine(), memory: createSiteMemory() }
  const wanted = { desired: state, newest: state.revision.commit }
  const record = openRecorder(site, wanted, { trigger: 'poll', until: 'apply' })
  record.begin()
  const known = { applied: journal.applied('prod'), attempts: journal.attempts('prod') }
  const past = { ...known, untouched: untouchedIn(runs, known) }
  const plan = planOf({ desired: state, live: runs })
  const decision: Decision = {
    plan,
    desired: state,
    diff: diff(state, runs, past),
    past,
    stuck: [],
    keeping: () => Promise.resolve(decision),
  }
  record.learn(decision)
  return record
}

function fail(record: PassRecorder, change: Change): void {
  record.begun([change])
  record.failed(change, unhealthy, false)
  record.undone(change)
}

describe('what is on record of attempts', () => {
  const [one, two] = [desired({ tag: '1' }), desired({ tag: '2' })]
  const toTwo = onlyChange(planOf({ desired: two, live: live(one), applied: one }))
  const phaseIn = (journal: Journal) => journal.attempts('prod').get('local/web/web')?.phase

  it('D18 is open until it is done, or failed and what was before is put back', () => {
    const journal = memoryJournal()
    const record = passOn(journal, two, live(one))
    record.begun([toTwo])
    expect(phaseIn(journal)).to.equal('open')
    record.failed(toTwo, unhealthy, false)
    expect(phaseIn(journal)).to.equal('failed')
    record.undone(toTwo)
    expect(phaseIn(journal)).to.equal('ended')
    record.begun([toTwo])
    expect(phaseIn(journal)).to.equal('open')
    record.applied(toTwo)
    expect(phaseIn(journal)).to.equal('ended')
  })

  it('G5 is quarantined after a failure that may go away only if each attempt would stop what serves', () => {
    const busy = new Failure('engine-refused', 'the engine is busy')
    const quarantined = (stopped: boolean) => {
      const journal = memoryJournal()
      const record = passOn(journal, two, live(one))
      record.begun([toTwo])
      record.failed(toTwo, busy, stopped)
      return journal.quarantined('prod').map(({ service }) => service)
    }
    expect([quarantined(false), quarantined(true)]).to.deep.equal([[], ['web']])
  })

  it('D18 is one that takes away what was applied, which is no drift if it is wanted again in the middle', () => {
    const none = desired({ replicas: 0 })
    const journal = memoryJournal()
    const { changes } = planOf({ desired: none, live: live(one), applied: one })
    const taken = changes.find(({ service }) => service === 'web') ?? toTwo
    passOn(journal, one, live(one))
    passOn(journal, none, live(one)).begun([taken])
    expect(phaseIn(journal)).to.equal('open')
    const past = { applied: journal.applied('prod'), attempts: journal.attempts('prod') }
    const [difference] = diff(one, live(), past).differences
    expect(difference).to.deep.include({ kind: 'drifted', isHalfway: true })
    expect(journal.openAttempts('prod'), 'no rollout is under way').to.deep.equal([])
    passOn(journal, one, live(one))
    expect(phaseIn(journal), 'it is there again').to.equal('ended')
    const record = passOn(journal, none, live(one))
    record.begun([taken])
    record.untouched(taken)
    expect(phaseIn(journal), 'nothing was touched').to.equal('ended')
    record.begun([taken])
    record.applied(taken)
    expect(journal.applied('prod').has('local/web/web')).to.equal(false)
    expect(phaseIn(journal)).to.equal(undefined)
  })

  it('D18 has its end, too, when a look finds that nothing is left of it', () => {
    const journal = memoryJournal()
    passOn(journal, two, live(one)).begun([toTwo])
    passOn(journal, one, live(one))
    expect(phaseIn(journal)).to.equal('ended')
  })

  it('H25 goes on from when it was begun first, also after an interruption', () => {
    const journal = memoryJournal()
    passOn(journal, two, live(one), 1_000).begun([toTwo])
    passOn(journal, two, live(one), 5_000).begun([toTwo])
    expect(journal.attempts('prod').get('local/web/web')?.begunAtMs).to.equal(1_000)
    fail(passOn(journal, two, live(one), 6_000), toTwo)
    passOn(journal, two, live(one), 7_000).begun([toTwo])
    expect(journal.attempts('prod').get('local/web/web')?.begunAtMs, 'after a retry').to.equal(7_000)
  })

  it('H22 goes on from the job that began last, unless another attempt begins', () => {
    const hooked = desired({ tag: '2', jobs: ['pre', 'post'] })
    const change = onlyChange(planOf({ desired: hooked, live: live(one), applied: one }))
    const name = change.stages.flat().find(step => step.do === 'run-to-end')?.container ?? ''
    const job = { name, begunAtMs: 1_000, isOver: false }
    const journal = memoryJournal()
    const known = () => journal.attempts('prod').get('local/web/web')?.job
    const record = passOn(journal, hooked, live(one))
    record.begun([change])
    record.jobBegun(change, job, false)
    record.jobOver(change)
    passOn(journal, hooked, live(one)).begun([change])
    expect(known()).to.deep.equal({ ...job, isOver: true })
    fail(passOn(journal, hooked, live(one)), change)
    passOn(journal, hooked, live(one)).begun([change])
    expect(known()).to.equal(undefined)
  })

  it('H30 A33 has the failure of a post hook from when that is over, whichever pass finishes the rollout, until another one begins', () => {
    const refused = new Failure('job-failed', 'local: web.post: exited with code 1')
    const journal = memoryJournal()
    const known = () => journal.troubles('prod').map(({ code }) => code)
    const killed = passOn(journal, two, live(one))
    killed.begun([toTwo])
    killed.jobOver(toTwo, refused)
    expect(known()).to.deep.equal(['job-failed'])
    const next = passOn(journal, two, live(one))
    next.begun([toTwo])
    next.applied(toTwo)
    expect(known(), 'once it is finished').to.deep.equal(['job-failed'])
    passOn(journal, two, live(one)).begun([toTwo])
    expect(known(), 'once it begins again').to.deep.equal([])
  })

  it('G5 D18 a release that was left and is wanted again is tried again', () => {
    const journal = memoryJournal()
    fail(passOn(journal, two, live(one)), toTwo)
    passOn(journal, two, live(one))
    expect(journal.quarantined('prod').map(({ service }) => service)).to.deep.equal(['web'])
    passOn(journal, one, live(one))
    expect(journal.quarantined('prod')).to.deep.equal([])
  })

  it('G5 D18 so is one that left the manifest meanwhile', () => {
    const journal = memoryJournal()
    fail(passOn(journal, two, live(one)), toTwo)
    passOn(journal, desired({ name: 'api' }), live())
    expect(journal.quarantined('prod')).to.deep.equal([])
  })

  it('D15 one of an application that cannot be read just now stays in quarantine', () => {
    const journal = memoryJournal()
    fail(passOn(journal, two, live(one)), toTwo)
    const blocked: DesiredState = {
      ...desired(),
      blocked: [{ application: 'web', problems: [{ code: 'application-invalid', message: 'a typo' }] }],
    }
    passOn(journal, blocked, live(one))
    expect(journal.quarantined('prod')).to.have.length(1)
  })

  it('G5 D9 a repair that fails is no verdict: what serves is repaired again and again', () => {
    const journal = memoryJournal()
    const repair = onlyChange(planOf({ desired: one, live: without(live(one), 'web.1'), applied: one }))
    fail(passOn(journal, one, live()), repair)
    expect(journal.quarantined('prod')).to.deep.equal([])
    expect(phaseIn(journal)).to.equal(undefined)
  })

  it('G5 nor is what puts an old version back and fails: the failed release stays in quarantine', () => {
    const journal = memoryJournal()
    const record = passOn(journal, two, live(one))
    record.begun([toTwo])
    record.failed(toTwo, unhealthy, true)
    const [before] = journal.quarantined('prod')
    const { site, application, service, release } = toTwo
    const target = beforeTarget(toTwo.target)
    const putBack = restoration({ site, application, service, release, target })
    record.begun([putBack])
    record.failed(putBack, unhealthy, true)
    expect(journal.quarantined('prod')).to.deep.equal([before])
    expect(phaseIn(journal)).to.equal('failed')
    record.applied(putBack)
    expect(phaseIn(journal)).to.equal('ended')
    expect(journal.applied('prod').get('local/web/web')).to.equal(undefined)
  })

  it('P6 a version whose deploy failed is barred by its image, though no registry has it', () => {
    const journal = memoryJournal()
    const pin = { state: 'unverified', imageId: `sha256:${'a'.repeat(64)}` } as const
    const local = desired({ tag: '2', jobs: ['deploy'], pin })
    const change = onlyChange(planOf({ desired: local, live: live() }))
    const deploy = change.stages.flat().find(step => step.do === 'run-to-end')
    const record = passOn(journal, local, live())
    record.begun([change])
    const resource = deploy?.do === 'run-to-end' ? deploy.container : ''
    record.failed(change, new Failure('job-failed', 'deploy failed', { resource }), false)
    expect(journal.barred('prod').map(({ digest }) => digest)).to.deep.equal([pin.imageId])
    const barred = new Map(
      journal
        .barred('prod')
        .map(one => [`local/web/${one.service}/${one.digest}`, { reason: one.message, sinceMs: 0 }]),
    )
    const held = onlyChange(planOf({ desired: local, live: live(), rules: { barred } })).held
    expect(held?.code).to.equal('barred')
  })

  describe('that leave trouble behind', () => {
    const failedHook = new Failure('job-failed', 'post failed with exit code 4')
    const hooked = desired({ tag: '2', jobs: ['post'] })
    const change = onlyChange(planOf({ desired: hooked, live: live(one), applied: one }))
    const told = (journal: Journal) => journal.troubles('prod').map(({ message }) => message)

    it('H30 it is told until another release is wanted, though that changes nothing that runs', () => {
      const journal = memoryJournal()
      passOn(journal, hooked, live(one)).applied(change, failedHook)
      passOn(journal, hooked, live(hooked))
      expect(told(journal)).to.deep.equal([failedHook.message])
      passOn(journal, desired({ tag: '2', jobs: ['post'], jobCommand: ['corrected'] }), live(hooked))
      expect(told(journal)).to.deep.equal([])
    })

    it('H30 or until the next one begins, or somebody says retry', () => {
      const journal = memoryJournal()
      passOn(journal, hooked, live(one)).applied(change, failedHook)
      passOn(journal, one, live(hooked)).begun([change])
      expect(told(journal)).to.deep.equal([])
      passOn(journal, hooked, live(one)).applied(change, failedHook)
      expect(journal.forgetTroubles('prod', 'other')).to.equal(0)
      expect(journal.forgetTroubles('prod', undefined, 'elsewhere')).to.equal(0)
      expect(journal.forgetTroubles('prod', 'web')).to.equal(1)
      expect(told(journal)).to.deep.equal([])
    })
  })
})
