import { type ErrorCode, Failure } from '../errors.ts'
import type { Database } from './database.ts'

/** What is on record: what was decided or came of it, or what merely happened on the way. */
export type Matter = 'decision' | 'history'

/** Told when something is kept in memory, when all of that is written, and when it is lost with the process. */
export type Told = (news: 'kept' | 'written' | 'lost', why: Failure) => void

export type Insistent = Database & {
  /**
   * Writes what has happened already, all of it at once. What cannot be written for a reason that may go away by
   * itself is kept in memory and written later, so that whoever does something is not stopped in the middle of it.
   */
  insist(matter: Matter, write: () => void): void
  /** Why something is kept and not written yet; undefined when nothing is. */
  unwritten(): Failure | undefined
}

/** Of what merely happened on the way, so many entries are kept; more are left out of the history. */
const mostKept = 10_000

/** What room on the disk, another process or the operator may put right. */
const passing: readonly ErrorCode[] = ['disk-full', 'journal-busy', 'journal-unusable']

/**
 * A database that can be insisted upon.
 * - What is kept is written in its order, and before anything else: every other write does that first, and fails as
 *   long as it cannot be done.
 * - Reads do not see what is kept.
 * - History joins what is kept without another attempt, which may take seconds; a decision is always attempted.
 */
export function insistent(database: Database, told: Told): Insistent {
  const kept: (() => void)[] = []
  let reason: Failure | undefined
  let isWriting = false

  const atOnce = <T>(work: () => T): T => {
    if (isWriting) return work()
    isWriting = true
    try {
      return database.transaction(work)
    } finally {
      isWriting = false
    }
  }
  const settle = () => {
    if (reason === undefined || isWriting) return
    for (let next = kept.at(0); next !== undefined; next = kept.at(0)) {
      attempt(next)
      kept.shift()
    }
    told('written', reason)
    reason = undefined
  }
  /** One that fails for good must not keep all others from being written for ever. */
  const attempt = (write: () => void) => {
    try {
      atOnce(write)
    } catch (error) {
      if (!isPassing(error)) kept.shift()
      throw error
    }
  }
  const keep = (matter: Matter, write: () => void, why: Failure) => {
    if (matter === 'decision' || kept.length < mostKept) kept.push(write)
    if (reason === undefined) told('kept', why)
    reason ??= why
  }
  return {
    ...database,
    run: (sql, ...values) => {
      settle()
      return database.run(sql, ...values)
    },
    transaction: work => {
      settle()
      return atOnce(work)
    },
    insist: (matter, write) => {
      if (isWriting) return write()
      if (matter === 'history' && reason !== undefined) return keep(matter, write, reason)
      try {
        settle()
        atOnce(write)
      } catch (error) {
        if (!isPassing(error)) throw error
        keep(matter, write, error)
      }
    },
    unwritten: () => reason,
    close: () => {
      try {
        settle()
      } catch (error) {
        if (!isPassing(error)) throw error
        told('lost', error)
      } finally {
        database.close()
      }
    },
  }
}

function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && passing.includes(error.code)
}
