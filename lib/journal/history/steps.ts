import { optional } from '../../object.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'

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
const mostOfPass = 10_000

/** Reads steps from a database. */
export function stepsIn(database: Database): Steps {
  return {
    stepsAfter: (environment, after) => {
      const row = database.get('SELECT coalesce(max(id), 0) AS id FROM event')
      const newest = row === undefined ? 0 : integer(row, 'id')
      if (after === undefined) return { events: [], after: newest }
      const rows = database.all(
        // In this order: SQLite would begin with all passes of the environment.
        `SELECT event.* FROM event CROSS JOIN pass ON pass.id = event.pass_id
           WHERE pass.environment = ? AND event.id BETWEEN ? AND ? ORDER BY event.id LIMIT ${most}`,
        environment,
        after + 1,
        newest,
      )
      const last = rows.length < most ? undefined : rows.at(-1)
      // Those of other environments are not gone through again.
      return {
        events: rows.map(eventOf),
        after: last === undefined ? Math.max(after, newest) : integer(last, 'id'),
      }
    },
  }
}

/** Returns the first 10,000 steps of a pass, and the number of all. */
export function stepsOfPass(
  database: Database,
  passId: number,
): { readonly events: readonly StepEvent[]; readonly eventCount: number } {
  const counted = database.get('SELECT count(*) AS number FROM event WHERE pass_id = ?', passId)
  const rows = database.all('SELECT * FROM event WHERE pass_id = ? ORDER BY id LIMIT ?', passId, mostOfPass)
  return { events: rows.map(eventOf), eventCount: counted === undefined ? 0 : integer(counted, 'number') }
}

function eventOf(row: Row): StepEvent {
  const error = optionalText(row, 'error')
  return {
    atMs: integer(row, 'at'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    service: text(row, 'service'),
    step: text(row, 'step'),
    stage: word(row, 'stage', stages),
    phase: word(row, 'phase', phases),
    ...optional('durationMs', optionalInteger(row, 'duration_ms')),
    ...optional('note', optionalText(row, 'note')),
    ...(error === undefined ? {} : { error: JSON.parse(error) }),
  }
}

const stages: readonly StepEvent['stage'][] = ['prepare', 'change', 'undo']
const phases: readonly StepEvent['phase'][] = ['started', 'noted', 'done', 'failed', 'skipped']
