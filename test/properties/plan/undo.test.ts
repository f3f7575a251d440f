import { expect } from 'chai'
import fc from 'fast-check'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { desired } from '../../support/builders/builders.ts'
import { applicationReleaseOf, courseOf, planOf } from '../../support/builders/planning.ts'
import { carryOut, siteWith } from '../../support/memory/carry-out.ts'
import { isUp, liveOf, type SimulatedSite } from '../../support/memory/simulated-site.ts'

/** From some instances to others; those that have one tag in both are not touched. */
const move = fc.record({
  from: fc.array(fc.constantFrom('1', '2', '3'), { minLength: 1, maxLength: 4 }),
  to: fc.array(fc.constantFrom('3', '4', '5'), { minLength: 1, maxLength: 4 }),
  type: fc.constantFrom('auto' as const, 'rolling' as const),
})

/** One instance at a time can hold the port. */
const exclusive = fc.record({
  maxSurge: fc.constantFrom(0, 1),
  type: fc.constantFrom('auto' as const, 'rolling' as const, 'recreate' as const),
})

/** After how many steps everything ends: in the middle of one, or between two. */
const moment = fc.nat({ max: 40 }).map(halves => halves / 2)

describe('a rollout that fails', () => {
  it('G5 puts back exactly what ran before, whatever step failed before the old ones went', () => {
    fc.assert(
      fc.property(move, fc.nat({ max: 30 }), ({ from, to, type }, at) => {
        const before = desired({ tags: from, strategy: { type } })
        const after = desired({ tags: to, strategy: { type } })
        const site = siteWith(before)
        expect(running(failing(site, before, after, at))).to.deep.equal(running(site))
      }),
    )
  })

  it('G5 puts it back after a crash on the way, too', () => {
    fc.assert(
      fc.property(
        move,
        moment,
        fc.nat({ max: 20 }),
        fc.boolean(),
        ({ from, to, type }, crash, at, isHalf) => {
          const before = desired({ tags: from, strategy: { type } })
          const after = desired({ tags: to, strategy: { type } })
          const site = isHalf ? halfMade(siteWith(before), to) : siteWith(before)
          const crashed = carryOut(site, kept(stagesOf(site, before, after)), { steps: crash }).site
          expect(running(failing(crashed, before, after, at))).to.deep.equal(running(site))
        },
      ),
    )
  })

  it('D7 puts back the holder of a host port, whatever the strategy', () => {
    fc.assert(
      fc.property(exclusive, moment, fc.nat({ max: 10 }), (strategy, crash, at) => {
        const before = desired({ tag: '1', hostPort: 80, strategy })
        const after = desired({ tag: '2', hostPort: 80, strategy })
        const site = siteWith(before)
        const crashed = carryOut(site, kept(stagesOf(site, before, after)), { steps: crash }).site
        expect(running(failing(crashed, before, after, at))).to.deep.equal(running(site))
      }),
    )
  })

  it('G5 finishes an undo that was interrupted, once the target is quarantined', () => {
    fc.assert(
      fc.property(move, moment, moment, fc.boolean(), ({ from, to, type }, at, cut, isHalf) => {
        const before = desired({ tags: from, strategy: { type } })
        const after = desired({ tags: to, strategy: { type } })
        const site = isHalf ? halfMade(siteWith(before), to) : siteWith(before)
        const { changes } = planOf({ desired: after, live: liveOf(site), applied: before })
        const reached = carryOut(site, kept(stagesOf(site, before, after)), { steps: at }).site
        const undone = carryOut(
          reached,
          changes.flatMap(({ undo }) => undo),
          { steps: cut },
        ).site
        fc.pre(changes.every(({ action }) => action !== 'remove'))
        const quarantined = new Map([
          [
            'local/web/web',
            { release: applicationReleaseOf(after, 'web'), reason: 'failed before', sinceMs: 0 },
          ],
        ])
        const plan = planOf({ desired: after, live: liveOf(undone), applied: before, rules: { quarantined } })
        // What runs as wanted was not put to the test again: the crash came before the first step back.
        fc.pre(plan.changes.length > 0)
        const due = plan.changes.filter(({ held }) => held === undefined)
        const end = carryOut(undone, due.flatMap(courseOf))
        expect(end.failed).to.equal(undefined)
        expect(running(end.site)).to.deep.equal(running(site))
      }),
    )
  })
})

function stagesOf(site: SimulatedSite, applied: DesiredState, wanted: DesiredState) {
  return planOf({ desired: wanted, live: liveOf(site), applied }).changes.flatMap(({ stages }) => stages)
}

/** The site if the process died as it made the last instance anew; as it is where the rollout keeps and mends that. */
function halfMade(site: SimulatedSite, kept: readonly string[]): SimulatedSite {
  const last = [...site.containers.values()]
    .slice(-1)
    .filter(({ image }) => !kept.some(tag => image.endsWith(`:${tag}`)))
    .map(one => ({ ...one, state: 'created', gated: false, isHalfMade: true }) as const)
  return {
    ...site,
    containers: new Map([...site.containers, ...last.map(one => [one.engineName, one] as const)]),
  }
}

/** The stages up to the one that removes what was replaced: from there on there is no way back. */
function kept(stages: ReturnType<typeof stagesOf>) {
  return stages.filter(stage => stage.every(step => step.do !== 'remove-container'))
}

/** The site after step `at` of the plan failed and was undone. */
function failing(
  site: SimulatedSite,
  applied: DesiredState,
  wanted: DesiredState,
  at: number,
): SimulatedSite {
  const { changes } = planOf({ desired: wanted, live: liveOf(site), applied })
  fc.pre(changes.length > 0 && changes.every(({ action }) => action !== 'remove'))
  const stages = kept(changes.flatMap(({ stages }) => stages))
  const last = stages.flat().length - 1
  const failed = carryOut(site, stages, { fails: (_, count) => count === Math.min(at, last) })
  const undone = carryOut(
    failed.site,
    changes.flatMap(({ undo }) => undo),
  )
  if (failed.failed !== undefined) expect(undone.failed).to.equal(undefined)
  return failed.failed === undefined ? site : undone.site
}

/** What runs, by what it was made from. */
function running({ containers }: SimulatedSite): readonly string[] {
  return [...containers.values()]
    .filter(isUp)
    .map(({ image }) => image)
    .sort()
}
