import { Failure, toFailure } from '../../../lib/errors.ts'
import type { Change } from '../../../lib/plan/change/change.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { live } from '../builders/builders.ts'
import { courseOf, planOf } from '../builders/planning.ts'
import { begin, emptySite, perform, type SimulatedSite } from './simulated-site.ts'

/** How far a change came on a simulated site. */
export type Carried = {
  readonly site: SimulatedSite
  /** The site after every step. */
  readonly moments: readonly SimulatedSite[]
  /** The step that failed. */
  readonly failed?: { readonly step: Step; readonly failure: Failure }
}

export type Course = {
  /** Steps of the change that are done before everything stops, as after a crash. 2.5: in the middle of the third. */
  readonly steps?: number
  /** By how many places the steps of each stage are turned: they run side by side, so any order may happen. */
  readonly turned?: number
  /** Whether this step fails. */
  readonly fails?: (step: Step, count: number) => boolean
}

/** Carries out stages one step after the other, as far as they go. */
export function carryOut(site: SimulatedSite, stages: Change['stages'], course: Course = {}): Carried {
  const { steps = Number.POSITIVE_INFINITY, turned = 0, fails = () => false } = course
  const moments: SimulatedSite[] = []
  let now = site
  for (const step of stages.flatMap(stage => turn(stage, turned))) {
    if (moments.length >= steps) break
    try {
      if (fails(step, moments.length)) throw new Failure('unhealthy', 'it was to fail')
      now = moments.length + 1 > steps ? begin(now, step) : perform(now, step)
    } catch (error) {
      return { site: now, moments, failed: { step, failure: toFailure(error) } }
    }
    moments.push(now)
  }
  return { site: now, moments }
}

/** A site on which this was applied, and nothing else. */
export function siteWith(state: DesiredState): SimulatedSite {
  const { changes } = planOf({ desired: state, live: live() })
  return carryOut(emptySite, changes.flatMap(courseOf)).site
}

function turn(stage: readonly Step[], places: number): readonly Step[] {
  const at = stage.length === 0 ? 0 : places % stage.length
  return [...stage.slice(at), ...stage.slice(0, at)]
}
