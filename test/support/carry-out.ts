import { Failure, toFailure } from '../../lib/errors.ts'
import type { Change } from '../../lib/plan/change.ts'
import type { Step } from '../../lib/plan/step.ts'
import { perform, type SimulatedSite } from './simulated-site.ts'

/** How far a change came on a simulated site. */
export type Carried = {
  readonly site: SimulatedSite
  /** The site after every step. */
  readonly moments: readonly SimulatedSite[]
  /** The step that failed. */
  readonly failed?: { readonly step: Step; readonly failure: Failure }
}

export type Course = {
  /** Steps of the change that are done before everything stops, as after a crash. */
  readonly steps?: number
  /** Whether this step fails. */
  readonly fails?: (step: Step, count: number) => boolean
}

/** Carries out stages one step after the other, as far as they go. */
export function carryOut(site: SimulatedSite, stages: Change['stages'], course: Course = {}): Carried {
  const { steps = Number.POSITIVE_INFINITY, fails = () => false } = course
  const moments: SimulatedSite[] = []
  let now = site
  for (const step of stages.flat()) {
    if (moments.length >= steps) break
    try {
      if (fails(step, moments.length)) throw new Failure('unhealthy', 'it was to fail')
      now = perform(now, step)
    } catch (error) {
      return { site: now, moments, failed: { step, failure: toFailure(error) } }
    }
    moments.push(now)
  }
  return { site: now, moments }
}
