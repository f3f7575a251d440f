import { bounded } from './bounded.ts'
import type { Database, Row } from './database.ts'
import { integer, optional, optionalInteger, text } from './row.ts'

/** Somebody said "leave it alone", for an environment or one application of it (G14). */
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
  /** Takes the place of an earlier suspension of the same thing. */
  suspend(suspension: Suspension): void
  /** The one of exactly this, in force at that time. */
  suspension(environment: string, application: string | undefined, nowMs: number): Suspension | undefined
  /** Ends the suspension of the environment, or of one application; false when there was none. */
  resume(environment: string, application?: string): boolean
  /** Those in force at that time, the environment's own first. */
  suspensions(environment: string, nowMs: number): readonly Suspension[]
}

export function suspensionsIn(database: Database): Suspensions {
  return {
    suspend: ({ environment, application = '', reason, who, atMs, untilMs }) => {
      database.run(
        'INSERT OR REPLACE INTO suspension VALUES (?, ?, ?, ?, ?, ?)',
        environment,
        application,
        bounded(reason),
        who,
        atMs,
        untilMs,
      )
    },
    resume: (environment, application = '') =>
      database.run(
        'DELETE FROM suspension WHERE environment = ? AND application = ?',
        environment,
        application,
      ) > 0,
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
