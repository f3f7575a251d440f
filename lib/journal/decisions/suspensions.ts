import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, text } from '../store/row.ts'

/** Somebody's order to leave an environment, or one application of it, alone (G14). */
export type Suspension = {
  readonly environment: string
  /** Absent: the whole environment. */
  readonly application?: string
  readonly reason: string
  readonly who: string
  readonly atMs: number
  /** Absent: until somebody resumes it. */
  readonly untilMs?: number
}

export type Suspensions = {
  /** Records a suspension. It replaces an earlier one of the same environment or application. */
  suspend(suspension: Suspension): void
  /** Returns the suspension of exactly this environment or application, if it is in force at that time. */
  suspension(environment: string, application: string | undefined, nowMs: number): Suspension | undefined
  /** Ends the suspension of the environment, or of one application. */
  resume(environment: string, application?: string): void
  /** Returns the suspensions in force at that time, the environment's own first. */
  suspensions(environment: string, nowMs: number): readonly Suspension[]
}

/** Keeps suspensions in a database. */
export function suspensionsIn(database: Database): Suspensions {
  return {
    suspend: ({ environment, application = '', reason, who, atMs, untilMs }) => {
      database.run(
        'INSERT OR REPLACE INTO suspension VALUES (?, ?, ?, ?, ?, ?)',
        environment,
        application,
        beginningOf(reason),
        who,
        atMs,
        untilMs,
      )
    },
    resume: (environment, application = '') => {
      database.run(
        'DELETE FROM suspension WHERE environment = ? AND application = ?',
        environment,
        application,
      )
    },
    suspension: (environment, application = '', nowMs) => {
      const row = database.get(
        'SELECT * FROM suspension WHERE environment = ? AND application = ? AND (until IS NULL OR until > ?)',
        environment,
        application,
        nowMs,
      )
      return row && suspensionOf(row)
    },
    suspensions: (environment, nowMs) =>
      database
        .all(
          'SELECT * FROM suspension WHERE environment = ? AND (until IS NULL OR until > ?) ORDER BY application',
          environment,
          nowMs,
        )
        .map(suspensionOf),
  }
}

function suspensionOf(row: Row): Suspension {
  const application = text(row, 'application')
  return {
    environment: text(row, 'environment'),
    ...(application === '' ? {} : { application }),
    reason: text(row, 'reason'),
    who: text(row, 'who'),
    atMs: integer(row, 'at'),
    ...optional('untilMs', optionalInteger(row, 'until')),
  }
}
