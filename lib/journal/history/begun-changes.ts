import type { ApprovedChange } from '../decisions/approvals.ts'
import type { Database } from '../store/database.ts'
import { integer, text } from '../store/row.ts'
import { restOn } from './approved-by.ts'

export type Beginnings = {
  /**
   * Records which changes of its plan a pass begins, and on which approvals it rests: of each of them, the newest one in
   * force that covers it. What goes by a rule, such as a repair, rests on none (G25).
   */
  beginIn(passId: number, environment: string, changes: readonly ApprovedChange[], atMs: number): void
}

/** Keeps what passes began, and on which approvals, in a database. */
export function beginningsIn(database: Database): Beginnings {
  return {
    beginIn: (passId, environment, changes, atMs) =>
      database.transaction(() => {
        for (const change of changes) {
          const { application, service } = change
          database.run('INSERT OR IGNORE INTO pass_change VALUES (?, ?, ?)', passId, application, service)
          restOn(database, passId, environment, change, atMs)
        }
      }),
  }
}

/** What a pass began of its plan. */
export type BegunOfPlan = {
  readonly changes: number
  /** How many changes the plan has. */
  readonly of: number
}

/** A change that a pass began. */
export type BegunChange = Pick<ApprovedChange, 'application' | 'service'>

/** Returns how much of its plan a pass began; undefined if it began nothing, or if that was not on record yet. */
export function begunOfPlan(database: Database, passId: number): BegunOfPlan | undefined {
  const row = database.get(
    `SELECT count(*) AS changes, (SELECT count(*) FROM plan_change WHERE plan_id = pass.plan_id) AS planned
       FROM pass JOIN pass_change AS begun ON begun.pass_id = pass.id WHERE pass.id = ?`,
    passId,
  )
  const changes = row === undefined ? 0 : integer(row, 'changes')
  return row === undefined || changes === 0 ? undefined : { changes, of: integer(row, 'planned') }
}

/** Returns the changes that a pass began, in the order of their names. */
export function changesOfPass(database: Database, passId: number): readonly BegunChange[] {
  return database
    .all(
      'SELECT application, service FROM pass_change WHERE pass_id = ? ORDER BY application, service',
      passId,
    )
    .map(row => ({ application: text(row, 'application'), service: text(row, 'service') }))
}
