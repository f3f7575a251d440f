import { isOnSite } from '../services/service-key.ts'
import type { Database } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/** The plan of a site that waits for a person, since when, and the pass that made it (G13). */
export type WaitingPlan = {
  readonly environment: string
  readonly site: string
  readonly planId: string
  readonly passId: number
  readonly sinceMs: number
}

export type Waiting = {
  /**
   * Records a waiting plan. At most one plan of a site waits in an environment. Recording the same plan again does not
   * change since when it waits.
   */
  setWaiting(plan: WaitingPlan): void
  /** Returns the waiting plans of an environment, sorted by site. */
  waiting(environment: string): readonly WaitingPlan[]
  /** Forgets the waiting plan of one site, or of all. */
  clearWaiting(environment: string, site?: string): void
}

/** Keeps waiting plans in a database. */
export function waitingIn(database: Database): Waiting {
  return {
    setWaiting: ({ environment, site, planId, passId, sinceMs }) => {
      database.run(
        `INSERT INTO waiting VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
           SET plan_id = excluded.plan_id, pass_id = excluded.pass_id, since = excluded.since
           WHERE plan_id <> excluded.plan_id`,
        environment,
        site,
        planId,
        passId,
        sinceMs,
      )
    },
    waiting: environment =>
      database.all('SELECT * FROM waiting WHERE environment = ? ORDER BY site', environment).map(row => ({
        environment,
        site: text(row, 'site'),
        planId: text(row, 'plan_id'),
        passId: integer(row, 'pass_id'),
        sinceMs: integer(row, 'since'),
      })),
    clearWaiting: (environment, site) => {
      database.run(`DELETE FROM waiting WHERE ${isOnSite(site)}`, environment, site)
    },
  }
}
