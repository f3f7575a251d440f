import { Failure } from '../../../errors.ts'

/** Returns why nothing is done of the plan that somebody named, if there is another one by now. */
export function otherPlan(now: string | undefined, named: string | undefined): Failure {
  return new Failure('plan-changed', `the plan is ${now ?? 'unknown'} now, not ${named}`)
}
