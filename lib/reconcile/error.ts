import type { ChangeResult } from '../apply/apply.ts'
import type { Failure, Problem, Retry } from '../errors.ts'
import { catalogue, formatProblem } from '../errors.ts'
import { isPutBack, keyOf, type Plan } from '../plan/change.ts'
import type { DesiredState } from '../state/desired.ts'
import type { Seen } from './observe.ts'

/** One thing that went wrong in a pass, as scripts and people read it (interface, section 3). */
export type PassError = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly resource?: string
  readonly retry: Retry
}

/** Everything that went wrong in a pass, the most telling first. */
export function errorsOf(
  stale: Failure | undefined,
  desired: DesiredState,
  undecided: ReadonlyMap<string, string>,
  seen: Seen,
  results: readonly ChangeResult[],
  plan: Plan,
): readonly PassError[] {
  return [
    ...results.flatMap(result =>
      result.result === 'failed' || result.result === 'rolled-back'
        ? [failureError(result.failure, keyOf(result.change))]
        : [],
    ),
    ...results.flatMap(({ change }) =>
      isPutBack(change)
        ? [
            problemError(
              { code: 'quarantined', message: `${keyOf(change)}: ${change.reason}` },
              keyOf(change),
            ),
          ]
        : [],
    ),
    ...desired.blocked.flatMap(({ application, problems }) =>
      problems.map(problem => problemError(problem, application)),
    ),
    ...[...undecided].map(([application, reason]) =>
      problemError({ code: 'digest-unknown', message: `${application}: ${reason}` }, application),
    ),
    ...seen.unreachable.map(({ site, failure }) => failureError(failure, site)),
    ...plan.changes.flatMap(change =>
      change.held !== undefined && isTrouble(change.held.code)
        ? [
            problemError(
              { code: change.held.code, message: `${keyOf(change)}: ${change.held.reason}` },
              keyOf(change),
            ),
          ]
        : [],
    ),
    ...(stale === undefined ? [] : [failureError(stale)]),
  ]
}

/** A failure as an error of a pass. */
export function failureError(
  { code, message, hint, retry, resource: own }: Failure,
  resource = own,
): PassError {
  return { code, message, hint, retry, ...(resource === undefined ? {} : { resource }) }
}

/** Held back because something is wrong, not because somebody said so. */
export function isTrouble(code: string): boolean {
  return code === 'quarantined' || code === 'dependency-held' || code === 'not-converging'
}

/** A problem in a file as an error of a pass; its place stands in the message. */
export function problemError(problem: Problem, resource?: string): PassError {
  const { hint, retry } = catalogue[problem.code]
  const text = formatProblem(problem)
  const message = text.slice(0, text.lastIndexOf(' ('))
  return {
    code: problem.code,
    message,
    hint: problem.hint ?? hint,
    retry,
    ...(resource === undefined ? {} : { resource }),
  }
}
