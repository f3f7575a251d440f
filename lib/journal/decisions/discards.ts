import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'

/** Somebody's rejection of a plan. It is asked again when the plan changes or another commit wants it (D4). */
export type Discard = {
  readonly environment: string
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
}

/** A rejection as the history tells it. */
export type GivenDiscard = { readonly who: string; readonly message?: string; readonly atMs: number }

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
        message === undefined ? undefined : beginningOf(message),
        atMs,
      )
    },
    isDiscarded: (environment, planId, commit) => rowOf(database, environment, planId, commit) !== undefined,
  }
}

/** Returns who rejected the plan of a pass at its commit. */
export function discardOfPass(database: Database, pass: Row): GivenDiscard | undefined {
  const planId = optionalText(pass, 'plan_id')
  if (planId === undefined) return undefined
  const row = rowOf(database, text(pass, 'environment'), planId, optionalText(pass, 'commit_id'))
  if (row === undefined) return undefined
  return {
    who: text(row, 'who'),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
  }
}

function rowOf(
  database: Database,
  environment: string,
  planId: string,
  commit: string | undefined,
): Row | undefined {
  return database.get(
    'SELECT * FROM discard WHERE environment = ? AND plan_id = ? AND commit_id = ?',
    environment,
    planId,
    commit,
  )
}
