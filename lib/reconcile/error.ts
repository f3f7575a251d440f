import type { ChangeResult } from '../apply/apply.ts'
import type { ErrorCode, Failure, Problem, Retry } from '../errors.ts'
import { catalogue, formatProblem } from '../errors.ts'
import { type Change, isPutBack, keyOf, type Plan, titleOf } from '../plan/change.ts'
import type { Seen } from './observe.ts'

/** One thing that went wrong in a pass, as scripts and people read it (interface, section 3). */
export type PassError = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly resource?: string
  readonly retry: Retry
}

/** Everything that went wrong in a pass, the most telling first; `trouble` concerns the pass as a whole. */
export function errorsOf(
  plan: Plan,
  { unreachable }: Seen,
  results: readonly ChangeResult[],
  trouble: Failure | undefined,
): readonly PassError[] {
  return [
    ...results.flatMap(resultErrors),
    ...plan.blocked.flatMap(({ application, problems }) =>
      problems.map(problem => problemError(problem, application)),
    ),
    ...unreachable.map(({ site, failure }) => failureError(failure, site)),
    ...plan.changes.flatMap(heldErrors),
    ...(trouble === undefined ? [] : [failureError(trouble)]),
  ]
}

function resultErrors(done: ChangeResult): readonly PassError[] {
  const { change, result } = done
  if (result === 'failed' || result === 'rolled-back') return [failureError(done.failure, keyOf(change))]
  return isPutBack(change) ? [changeError(change, 'quarantined', change.reason)] : []
}

function heldErrors(change: Change): readonly PassError[] {
  const { held } = change
  return held !== undefined && isTrouble(held.code) ? [changeError(change, held.code, held.reason)] : []
}

function changeError(change: Change, code: ErrorCode, reason: string): PassError {
  return problemError({ code, message: `${titleOf(change)}: ${reason}` }, keyOf(change))
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
  return troubles.includes(code)
}

const troubles: readonly string[] = [
  'quarantined',
  'barred',
  'no-upgrade-path',
  'dependency-held',
  'not-converging',
  'ingress-unreachable',
]

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
