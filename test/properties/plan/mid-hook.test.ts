import { expect } from 'chai'
import fc from 'fast-check'
import { optional } from '../../../lib/object.ts'
import type { Change } from '../../../lib/plan/change/change.ts'
import { isRunOfJob } from '../../../lib/plan/step/run-of-job.ts'
import { traitsOf } from '../../../lib/plan/step/traits.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { isJob } from '../../../lib/state/running/job-container.ts'
import type { LiveContainer } from '../../../lib/state/running/live.ts'
import { desired } from '../../support/builders/builders.ts'
import { courseOf, planOf, type Situation } from '../../support/builders/planning.ts'
import { carryOut, siteWith } from '../../support/memory/carry-out.ts'
import { emptySite, isUp, liveOf, type SimulatedSite } from '../../support/memory/simulated-site.ts'

/** A rollout with a mid hook, of any number of instances, from something or from nothing. */
const move = fc.record({
  from: fc.integer({ min: 0, max: 3 }),
  to: fc.integer({ min: 1, max: 3 }),
  jobs: fc.subarray(['pre', 'post'] as const),
  init: fc.option(fc.constant('setup'), { nil: undefined }),
})

/** How an attempt ends early, and after how many steps: a crash may come in the middle of one, too. */
const end = fc.record({
  how: fc.constantFrom('fails' as const, 'crashes' as const),
  after: fc.nat({ max: 50 }).map(halves => halves / 2),
  /** What somebody removes before the next one begins. */
  removed: fc.constantFrom('nothing' as const, 'what does not run' as const, 'all jobs' as const),
})

/** A site, and what is known of what it was brought to before. */
type Known = {
  readonly site: SimulatedSite
  readonly past: Pick<Situation, 'applied' | 'attempt' | 'phase' | 'noReturn' | 'job'>
}

describe('a mid hook', () => {
  it('H10 H22 H29 runs while no instance of its service does, however the attempts before ended', () => {
    let tries = 0
    fc.assert(
      fc.property(move, end, end, ({ from, to, jobs, init }, first, second) => {
        const parts = { strategy: { type: 'recreate' }, ...(init === undefined ? {} : { init }) } as const
        const before = desired({ tag: '1', replicas: from, ...parts })
        const wanted = desired({ tag: '2', replicas: to, jobs: ['mid', ...jobs], ...parts })
        let known: Known =
          from === 0 ? { site: emptySite, past: {} } : { site: siteWith(before), past: { applied: before } }
        for (const end of [first, second, undefined]) {
          const { site, hasRun, past } = attempt(wanted, known, end)
          tries += hasRun ? 1 : 0
          known = { site: without(site, end?.removed ?? 'nothing'), past }
        }
        expect(running(known.site)).to.deep.equal(running(siteWith(wanted)))
      }),
      { numRuns: 100 },
    )
    expect(tries, 'some ran it again').to.be.greaterThan(100)
  })
})

type End = typeof end extends fc.Arbitrary<infer T> ? T : never

/** Makes one attempt, and undoes what can be undone if it fails. Its mid hook must meet nothing of the service. */
function attempt(
  wanted: DesiredState,
  { site, past }: Known,
  end?: End,
): Known & { readonly hasRun: boolean } {
  const { changes } = planOf({ desired: wanted, live: liveOf(site), ...past })
  const { stages = [], noReturnAt = Number.POSITIVE_INFINITY, undo = [] } = changes[0] ?? {}
  const {
    site: reached,
    moments,
    failed,
  } = carryOut(site, changes.flatMap(courseOf), {
    ...(end?.how === 'crashes' ? { steps: end.after } : {}),
    fails: (_, count) =>
      end?.how === 'fails' && count === Math.floor(end.after) && count < stages.flat().length,
  })
  const tries = [site, ...moments].slice(1).filter((moment, at) => {
    const { ran } = moments[at - 1] ?? site
    return moment.ran.length > ran.length && moment.ran.at(-1)?.includes('.mid.')
  })
  expect(tries.flatMap(running), 'while the mid hook runs').to.deep.equal([])
  const hasRun = tries.length > 0
  const recorded = recordOf(past, changes, moments.length)
  const old = past.applied === undefined ? [] : running(siteWith(past.applied))
  const isOld = (text: string) => old.includes(text)
  const begun = { ...past, ...recorded, attempt: wanted, phase: 'open' } as const
  if (failed === undefined) return { site: reached, past: begun, hasRun }
  const at = stages.findIndex((_, index) => stages.slice(0, index + 1).flat().length > moments.length)
  const isLost = at >= noReturnAt
  const undone = carryOut(
    reached,
    undo.map(steps => steps.filter(step => !isLost || traitsOf(step).clearsUp)),
  )
  expect(undone.failed).to.equal(undefined)
  if (recorded.noReturn)
    expect(running(undone.site).filter(isOld), 'nothing old is put back').to.deep.equal([])
  if (isLost) return { site: undone.site, past: { ...begun, phase: 'failed', noReturn: true }, hasRun }
  const { noReturn: _, job: __, ...ended } = past
  return { site: undone.site, past: { ...ended, attempt: wanted, phase: 'ended' }, hasRun }
}

/** What is on record once so many steps of a change are done. */
function recordOf(
  { noReturn, job }: Known['past'],
  [change]: readonly Change[],
  steps: number,
): Pick<Known['past'], 'noReturn' | 'job'> {
  const done = change === undefined ? [] : courseOf(change).flat().slice(0, steps)
  const runs = done.filter(isRunOfJob)
  const last = runs.at(-1)
  const isPast = change?.noReturnAt !== undefined && runs.some(step => step.job === 'mid')
  return {
    ...optional('noReturn', isPast ? true : noReturn),
    ...optional('job', last === undefined ? job : { name: last.container, begunAtMs: 0, isOver: true }),
  }
}

/** What is left once somebody has removed that. */
function without(site: SimulatedSite, removed: End['removed']): SimulatedSite {
  const stays = (one: LiveContainer) =>
    removed === 'nothing' || (removed === 'all jobs' ? !isJob(one) : isUp(one))
  return { ...site, containers: new Map([...site.containers].filter(([, one]) => stays(one))) }
}

/** What runs, by what it was made from. */
function running({ containers }: SimulatedSite): readonly string[] {
  return [...containers.values()]
    .filter(one => isUp(one) && !isJob(one))
    .map(({ fingerprint, image }) => `${image} ${fingerprint}`)
    .sort()
}
