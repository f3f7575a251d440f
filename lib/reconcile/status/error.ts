import { afterServingHint, type ChangeResult, isTriedAgain } from '../../apply/apply.ts'
import type { ErrorCode, Retry } from '../../errors/catalogue.ts'
import { catalogue, hintToResume } from '../../errors/catalogue.ts'
import type { Failure, Problem } from '../../errors.ts'
import { countProblems, formatProblem, hintOfProblem, InvalidInput, more } from '../../errors.ts'
import type { Trouble } from '../../journal/services/troubles.ts'
import { limits } from '../../limits.ts'
import { type Change, isPutBack, keyOf, type Plan, splitKey, titleOf } from '../../plan/change/change.ts'
import type { Held } from '../../plan/hold/held.ts'
import { failureProblems } from '../repository/state-on-record.ts'
import type { SeenSite } from '../site/observe.ts'
import { NoneReached, wasLost } from '../site/result/why-unreached.ts'
import { hintOfError } from './metadata-hint.ts'

/** One error of a pass, in the form for scripts and people (interface, section 3). */
export type PassError = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly resource?: string
  readonly retry: Retry
}

export type Went = {
  readonly plan: Plan
  /** Changes that are held because their services are kept as they were. */
  readonly stuck: readonly Change[]
  readonly seen: SeenSite
  readonly results: readonly ChangeResult[]
  /** The site, one of several, did not answer, or no longer did: that is no error of the pass. */
  readonly isUnreached: boolean
  /** What concerns the pass as a whole. */
  readonly trouble: Failure | undefined
  /** What failed after a release was in place, now or in an earlier pass. */
  readonly troubles: readonly Trouble[]
  /** Deployments that end, or have ended, with a failure here, by application. */
  readonly ending: ReadonlyMap<string, string>
}

/** Returns all errors of a pass, the most informative first. */
export function errorsOf({
  plan,
  stuck,
  seen,
  results,
  isUnreached,
  trouble,
  troubles,
  ending,
}: Went): readonly PassError[] {
  const told = new Set(results.map(({ change }) => keyOf(change)))
  const ofAll = new Set(trouble === undefined ? [] : failureProblems(trouble).map(formatProblem))
  return [
    ...results.filter(done => !(isUnreached && wasLost(done))).flatMap(resultErrors),
    ...limited(
      plan.blocked.flatMap(({ application, problems }) =>
        problems
          .filter(problem => !ofAll.has(formatProblem(problem)))
          .map(problem => ({ problem, resource: application })),
      ),
    ),
    ...('failure' in seen && !isUnreached ? [failureError(seen.failure, seen.site)] : []),
    ...limited([...plan.changes, ...stuck].filter(one => !isExplained(one, plan)).flatMap(heldProblems)),
    // Each site says itself that it is not reached.
    ...(trouble === undefined || trouble instanceof NoneReached ? [] : failureErrors(trouble)),
    ...troubles.filter(one => !told.has(keyOf(one))).map(standingError),
  ]
    .map(error => ({ ...error, hint: hintOfError(error.code, error.hint, error.resource) }))
    .map(error => withResume(error, ending))
}

/** What a deployment ended with is tried again once the deployment is resumed. A hook that failed afterwards is not. */
function withResume(error: PassError, ending: Went['ending']): PassError {
  const deployment = ending.get(splitKey(error.resource ?? '').application)
  return deployment === undefined || error.hint === afterServingHint
    ? error
    : { ...error, hint: hintToResume(error.hint, deployment) }
}

/** Returns the errors of one change of a pass. */
export function resultErrors(done: ChangeResult): readonly PassError[] {
  const { change, result } = done
  if (result === 'failed' || result === 'rolled-back') {
    const error = failureError(done.failure, keyOf(change))
    return [isTriedAgain(done) ? { ...error, retry: 'backoff' } : error]
  }
  return isPutBack(change)
    ? [problemError(changeProblem(change, 'quarantined', change.reason), keyOf(change))]
    : []
}

/** A problem, and the application or the change that has it. */
type Concern = { readonly problem: Problem; readonly resource?: string }

/** Lists as many problems as may be listed; the last error stands for the others (G24). */
function limited(concerns: readonly Concern[]): readonly PassError[] {
  const [next, ...rest] = concerns.slice(limits.problems - 1)
  if (next === undefined || rest.length === 0)
    return concerns.map(({ problem, resource }) => problemError(problem, resource))
  const left = countProblems([next, ...rest].map(({ problem }) => problem))
  return [
    ...limited(concerns.slice(0, limits.problems - 1)),
    problemError(more(next.problem.code, left, undefined)),
  ]
}

/** Whether an application that is blocked is why nothing is removed: it has its own errors, which say what helps (G4). */
function isExplained({ held }: Change, { blocked }: Plan): boolean {
  return held?.code === 'empty-desired-state' && blocked.length > 0
}

function heldProblems(change: Change): readonly Concern[] {
  const { held } = change
  if (held === undefined || !isTrouble(held)) return []
  return [{ problem: changeProblem(change, held.code, held.reason), resource: keyOf(change) }]
}

function changeProblem(change: Change, code: ErrorCode, reason: string): Problem {
  return { code, message: `${titleOf(change)}: ${reason}` }
}

/** Returns the error for what an earlier pass could not do and nobody has answered since. */
function standingError(trouble: Trouble): PassError {
  const { code, message } = trouble
  return { code, message, hint: afterServingHint, resource: keyOf(trouble), retry: 'never' }
}

/** Returns a failure as errors of a pass. Input with several problems gives several errors, each with its place. */
export function failureErrors(failure: Failure): readonly PassError[] {
  return failure instanceof InvalidInput
    ? failure.problems.map(problem => problemError(problem))
    : [failureError(failure)]
}

/** Returns a failure as an error of a pass. */
export function failureError(
  { code, message, hint, retry, resource: own }: Failure,
  resource = own,
): PassError {
  return { code, message, hint, retry, ...(resource === undefined ? {} : { resource }) }
}

/**
 * Whether a change is held because something is wrong, or failed just now and is tried again; not because somebody
 * ordered it.
 */
export function isTrouble({ code, isLater, isFailed, isQueued }: Held): boolean {
  return isLater === true || isFailed === true || (isQueued !== true && troubles.includes(code))
}

const troubles: readonly Held['code'][] = [
  'empty-desired-state',
  'quarantined',
  'barred',
  'no-upgrade-path',
  'dependency-held',
  'claim-held',
  'not-converging',
  'ingress-unreachable',
  'port-taken',
  'name-taken',
  'version-unreadable',
]

/** Returns a problem in a file as an error of a pass. Its place is part of the message. */
export function problemError(problem: Problem, resource?: string): PassError {
  const text = formatProblem(problem)
  const message = text.slice(0, text.lastIndexOf(' ('))
  return {
    code: problem.code,
    message,
    hint: hintOfProblem(problem),
    retry: catalogue[problem.code].retry,
    ...(resource === undefined ? {} : { resource }),
  }
}
