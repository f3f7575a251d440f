import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import type { AnswerVerb } from './answers.ts'

/**
 * Somebody's rejection of a plan. It is asked again when the plan changes, another commit wants it, or somebody asks for
 * what it brings (D4).
 */
export type Discard = {
  readonly environment: string
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
  /** The applications of which something was rejected; absent: that is not known, and those are meant that the plan changes. */
  readonly applications?: readonly string[]
}

/** A rejection as the history tells it. */
export type GivenDiscard = { readonly who: string; readonly message?: string; readonly atMs: number }

export type Discards = {
  discard(decision: Discard): void
  /** Whether the plan was rejected at that commit, and nobody has asked for what it brings since. */
  isDiscarded(environment: string, planId: string, commit: string): boolean
}

/** The words by which a person asks for what may have been rejected before: without a new commit, there is no other way. */
const asking: readonly AnswerVerb[] = ['rollback', 'resume', 'retry', 'redeploy', 'force-upgrade']

/**
 * SQL: whether something was said after a rejection. Of one that has not on record what was said before, the times tell: what
 * was said in the same millisecond came later if it was recorded after the rejection.
 */
const isLater = `CASE WHEN discard.answers IS NOT NULL THEN answer.id > discard.answers
  ELSE answer.at >= discard.at AND answer.id > (SELECT coalesce(max(said.id), 0) FROM answer AS said
    WHERE said.environment = discard.environment AND said.verb = 'discard' AND said.at = discard.at) END`

/**
 * SQL: whether a row of `discard` still counts. A word about an application ends it if something of that one was rejected.
 * Where it is not on record what was, those count that the plan changes; and for that of several sites, of which that is not
 * on record either, any.
 */
export const inForce: string = `NOT EXISTS (SELECT 1 FROM answer
  WHERE answer.environment = discard.environment AND ${isLater}
    AND answer.verb IN (${asking.map(verb => `'${verb}'`).join(', ')})
    AND (answer.about IS NULL
      OR EXISTS (SELECT 1 FROM json_each(discard.applications) WHERE value IN (answer.application, answer.about))
      OR discard.applications IS NULL AND (NOT EXISTS (SELECT 1 FROM plan_change WHERE plan_id = discard.plan_id)
        OR EXISTS (SELECT 1 FROM plan_change
          WHERE plan_id = discard.plan_id AND application IN (answer.application, answer.about)))))`

/** Keeps rejections in a database. */
export function discardsIn(database: Database): Discards {
  return {
    discard: ({ environment, planId, commit, who, message, atMs, applications }) => {
      database.run(
        `INSERT OR REPLACE INTO discard (environment, plan_id, commit_id, who, message, at, applications, answers)
           VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM answer))`,
        environment,
        planId,
        commit,
        who,
        message === undefined ? undefined : beginningOf(message),
        atMs,
        applications && JSON.stringify(applications),
      )
    },
    isDiscarded: (environment, planId, commit) =>
      rowOf(database, environment, planId, commit, inForce) !== undefined,
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
  condition = 'TRUE',
): Row | undefined {
  return database.get(
    `SELECT * FROM discard WHERE environment = ? AND plan_id = ? AND commit_id = ? AND ${condition}`,
    environment,
    planId,
    commit,
  )
}
