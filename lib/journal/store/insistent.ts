import type { ErrorCode } from '../../errors/catalogue.ts'
import { Failure } from '../../errors.ts'
import type { Database } from './database.ts'

/** What is recorded: a decision and its result, what a look found, which the next one finds again, or an event on the way. */
export type Matter = 'decision' | 'look' | 'history'

/** Called when something is kept in memory, when all of that is written, and when it is lost with the process. */
export type TellUnwritten = (news: 'kept' | 'written' | 'lost', why: Failure) => void

export type Insistent = Database & {
  /**
   * Records what has happened already, all of it at once. If it cannot be written for a reason that may go away by
   * itself, it is kept in memory and written later, so that the work that caused it need not stop half-way.
   */
  insist(matter: Matter, write: () => void): void
  /** Returns why something is kept and not written yet; undefined if nothing is. */
  unwritten(): Failure | undefined
}

type Write = () => void

/** The most that is kept of looks and events. Further ones are left out of the history. */
const mostKept = 10_000

/** Failures that room on the disk, another process or the operator may resolve. */
const passing: readonly ErrorCode[] = ['disk-full', 'journal-busy', 'journal-unusable', 'state-dir-gone']

/**
 * Adds `insist` to a database.
 * - What is kept is written in its order and before anything else: every other write does that first, and fails as long
 *   as it fails.
 * - Reads do not see what is kept.
 * - An event joins what is kept without another attempt to write, which may take seconds. All else is always attempted.
 */
export function insistent(database: Database, told: TellUnwritten): Insistent {
  let kept: Write[] = []
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
    const { done, error } = writeInOrder(kept)
    if (done > 0) kept = kept.slice(done)
    if (error !== undefined) throw error
    told('written', reason)
    reason = undefined
  }
  /**
   * Writes as much as can be written. Returns how much of it is done with, and why no more is. What can never be written
   * is left out, so that it does not stop all others for ever.
   */
  const writeInOrder = (all: readonly Write[]): { readonly done: number; readonly error?: unknown } => {
    try {
      // One transaction for each would take seconds, in which nothing else goes on.
      atOnce(() => {
        for (const write of all) write()
      })
      return { done: all.length }
    } catch {
      // One of them is why, or there is room for some of them.
    }
    for (const [index, write] of all.entries())
      try {
        atOnce(write)
      } catch (error) {
        return { done: isPassing(error) ? index : index + 1, error }
      }
    return { done: all.length }
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
