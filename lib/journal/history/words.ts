import { optional } from '../../object.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text, word } from '../store/row.ts'

/** A person's answer to a plan. */
export type Word = {
  readonly word: 'approved' | 'discarded'
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
}

/** The newest pass that had a plan; without an outcome while it runs. */
export type PassOfPlan = { readonly passId: number; readonly outcome?: string; readonly atMs: number }

export type Words = {
  /**
   * Returns people's answers to a plan, the newest first, also those to the plan of several sites that it is part of.
   * `skipConfirmation` of a manifest is not one of them.
   */
  wordsOn(environment: string, planId: string): readonly Word[]
  passOfPlan(environment: string, planId: string): PassOfPlan | undefined
}

/** Reads people's answers from a database. */
export function wordsIn(database: Database): Words {
  return {
    wordsOn: (environment, planId) =>
      database
        .all(
          `SELECT 'approved' AS word, commit_id, who, message, at FROM approval
             WHERE environment = ?1 AND plan_id = ?2 AND via <> 'skipConfirmation'
           UNION ALL
           SELECT 'approved' AS word, shown.commit_id, who, message, at
             FROM approval_plan AS shown JOIN approval ON approval.id = shown.approval_id
             WHERE shown.environment = ?1 AND shown.plan_id = ?2 AND approval.plan_id <> ?2
               AND via <> 'skipConfirmation'
           UNION ALL
           SELECT 'discarded' AS word, commit_id, who, message, at FROM discard
             WHERE environment = ?1 AND plan_id = ?2
           ORDER BY at DESC`,
          environment,
          planId,
        )
        .map(wordOf),
    passOfPlan: (environment, planId) => {
      const row = database.get(
        'SELECT id, outcome, seen_at FROM pass WHERE plan_id = ? AND environment = ? ORDER BY id DESC LIMIT 1',
        planId,
        environment,
      )
      if (row === undefined) return undefined
      return {
        passId: integer(row, 'id'),
        ...optional('outcome', optionalText(row, 'outcome')),
        atMs: integer(row, 'seen_at'),
      }
    },
  }
}

function wordOf(row: Row): Word {
  return {
    word: word(row, 'word', ['approved', 'discarded']),
    commit: text(row, 'commit_id'),
    who: text(row, 'who'),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
  }
}
