import { type Failure, InvalidInput, type Problem } from '../../errors.ts'
import { splitKey } from '../../plan/change/change.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { World } from '../world.ts'

/**
 * Returns what is known of an environment if neither its newest commit nor the last good one can be read: which
 * applications were deployed. All of them are blocked by the failure, so that they are observed, and started again as
 * they are. Undefined if even the environment is unknown.
 */
export function stateOnRecord(
  { memory, journal }: Pick<World, 'memory' | 'journal'>,
  failure: Failure,
): DesiredState | undefined {
  const identity = memory.names.identity()
  const good = identity && journal.lastGood(identity.environment)
  if (identity === undefined || good === undefined) return undefined
  const names = [...journal.applied(identity.environment).keys()].map(key => splitKey(key).application)
  const problems = failureProblems(failure)
  return {
    ...identity,
    revision: good.revision,
    skipConfirmation: false,
    applications: [],
    blocked: [...new Set(names)].sort().map(application => ({ application, problems })),
    warnings: [],
  }
}

/** Returns a failure as problems: those of invalid input each with its place. */
export function failureProblems(failure: Failure): readonly [Problem, ...Problem[]] {
  const { code, message, hint } = failure
  const [first, ...rest] = failure instanceof InvalidInput ? failure.problems : []
  return first === undefined ? [{ code, message, hint }] : [first, ...rest]
}
