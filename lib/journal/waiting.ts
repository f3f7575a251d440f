import type { Database } from './database.ts'
import { integer, text } from './row.ts'

/** The plan of an environment that waits for a person, since when, and the pass that made it (G13). */
export type WaitingPlan = {
  readonly environment: string
  readonly planId: string
  readonly passId: number
  readonly sinceMs: number
}

export type Waiting = {
  /**
   * Records a waiting plan. At most one plan of an environment waits. Recording the same plan again does not change
   * since when it waits.
   */
  wait(plan: WaitingPlan): void
  waiting(environment: string): WaitingPlan | undefined
  clearWaiting(environment: string): void
}

/** Keeps waiting plans in a database. */
export function waitingIn(database: Database): Waiting {
  return {
    wait: ({ environment, planId, passId, sinceMs }) => {
      database.run(
        `INSERT INTO waiting VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
           SET plan_id = excluded.plan_id, pass_id = excluded.pass_id, since = excluded.since
           WHERE plan_id <> excluded.plan_id`,
        environment,
        planId,
        passId,
        sinceMs,
      )
    },
    waiting: environment => {
      const row = database.get('SELECT * FROM waiting WHERE environment = ?', environment)
      if (row === undefined) return undefined
      return {
        environment,
        planId: text(row, 'plan_id'),
        passId: integer(row, 'pass_id'),
        sinceMs: integer(row, 'since'),
      }
    },
    clearWaiting: environment => {
      database.run('DELETE FROM waiting WHERE environment = ?', environment)
    },
  }
}
