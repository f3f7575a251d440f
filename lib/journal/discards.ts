import { bounded } from './bounded.ts'
import type { Database } from './database.ts'

/** Somebody's rejection of a plan. It is asked again when the plan changes or another commit wants it (D4). */
export type Discard = {
  readonly environment: string
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
}

export type Discards = {
  discard(decision: Discard): void
  isDiscarded(environment: string, planId: string, commit: string): boolean
}

/** Keeps rejections in a database. */
export function discardsIn(database: Database): Discards {
  return {
    discard: ({ environment, planId, commit, who, message, atMs }) => {
      database.run(
        'INSERT OR REPLACE INTO discard VALUES (?, ?, ?, ?, ?, ?)',
        environment,
        planId,
        commit,
        who,
        message === undefined ? undefined : bounded(message),
        atMs,
      )
    },
    isDiscarded: (environment, planId, commit) =>
      database.get(
        'SELECT 1 FROM discard WHERE environment = ? AND plan_id = ? AND commit_id = ?',
        environment,
        planId,
        commit,
      ) !== undefined,
  }
}
