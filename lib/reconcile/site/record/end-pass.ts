import { Failure } from '../../../errors.ts'
import type { PassStart } from '../../../journal/history/passes.ts'
import { optional } from '../../../object.ts'
import type { Revision } from '../../../state/repository/revision.ts'
import { failureError, type PassError } from '../../status/error.ts'
import type { World } from '../../world.ts'
import { hindrancesIn, type PassResult } from '../result/pass-result.ts'

/** If a commit could not be read, only its name is known. */
export function knownRevision({ memory, config }: World, commit: string): Revision {
  const inForce = memory.commits.inForce()
  if (inForce?.commit === commit) return inForce.resolved.revision
  return { ref: config.repository.ref ?? 'HEAD', commit, author: '', subject: '', time: '' }
}

/**
 * Ends a pass in the journal: one on record by its number, or one of which nothing was recorded yet. Returns its result,
 * with the number under which it is found. `also` is written together with it.
 */
export function endPass(
  { journal, nowMs }: World,
  pass: number | PassStart,
  result: PassResult,
  also?: () => void,
): PassResult {
  const { outcome, sync, errors } = result
  const [first, ...others] = hindrancesIn(result)
  const error = first && { ...first, ...optional('more', others.length === 0 ? undefined : others.length) }
  const endedMs = nowMs()
  const end = { outcome, sync, atMs: endedMs, ...(error === undefined ? {} : { error }) }
  const passId =
    typeof pass === 'number' ? journal.endPass(pass, end, also) : journal.recordPass(pass, end, also)
  return {
    ...result,
    errors: withUnwritten(errors, journal.unwritten()),
    ...optional('passId', passId),
    endedMs,
  }
}

/** Adds once why what was done is not recorded yet. */
function withUnwritten(errors: readonly PassError[], unwritten: Failure | undefined): readonly PassError[] {
  if (unwritten === undefined || errors.some(({ code }) => code === unwritten.code)) return errors
  const { code, message } = unwritten
  const words = `${message}; the records of it are kept in memory until they can be written`
  return [...errors, failureError(new Failure(code, words))]
}
