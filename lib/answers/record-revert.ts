import { Failure } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import { optional } from '../object.ts'
import type { Speaker } from './subject/speaker.ts'

/** What somebody brought back with a commit of his own, which is pushed already. */
export type Reverted = {
  /** What it is called on record. */
  readonly environment: string
  /** Absent: the whole environment. */
  readonly application?: string | undefined
  /** To what, by which commit and why, in words. */
  readonly message: string
}

/**
 * Records that somebody brought something back with a commit (A12, E23). Who may push it, the git server decides. Returns
 * why it cannot be written now; undefined if it is recorded.
 */
export function recordRevert(
  { journal, nowMs }: { readonly journal: Journal; readonly nowMs: () => number },
  { who, via }: Pick<Speaker, 'who' | 'via'>,
  { environment, application, message }: Reverted,
): Failure | undefined {
  const answer = { environment, verb: 'rollback', ...optional('about', application) } as const
  try {
    journal.insist(() => journal.recordAnswer({ ...answer, who, via, message, atMs: nowMs() }))
    return journal.unwritten()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
