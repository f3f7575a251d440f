import type { StepEvent } from '../state/step-event.ts'
import type { Database } from './database.ts'
import { eventOf } from './history.ts'
import { integer } from './row.ts'

export type Steps = {
  /**
   * Returns the steps in an environment after a point, in order, and the point after them; at most 1,000 at once.
   * Without a point it returns only the current one.
   */
  stepsAfter(
    environment: string,
    after?: number,
  ): { readonly events: readonly StepEvent[]; readonly after: number }
}

const most = 1_000

/** Reads steps from a database. */
export function stepsIn(database: Database): Steps {
  return {
    stepsAfter: (environment, after) => {
      if (after === undefined) {
        const row = database.get('SELECT coalesce(max(id), 0) AS id FROM event')
        return { events: [], after: row === undefined ? 0 : integer(row, 'id') }
      }
      const rows = database.all(
        `SELECT event.* FROM event JOIN pass ON pass.id = event.pass_id
           WHERE pass.environment = ? AND event.id > ? ORDER BY event.id LIMIT ${most}`,
        environment,
        after,
      )
      const last = rows.at(-1)
      return { events: rows.map(eventOf), after: last === undefined ? after : integer(last, 'id') }
    },
  }
}
