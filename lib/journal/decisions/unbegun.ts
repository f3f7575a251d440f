import type { Database } from '../store/database.ts'
import { integer, optional, optionalText, text } from '../store/row.ts'
import { forgivenMs } from './approvals.ts'

/** A person's approval that is in force, and of which nothing has begun. */
export type UnbegunApproval = {
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
}

export type Unbegun = {
  /** Returns the newest approval in force if no step of its changes was made since it was given. */
  unbegun(environment: string, nowMs: number): UnbegunApproval | undefined
  /** Takes back the approvals of a plan. */
  withdraw(environment: string, planId: string): void
}

/** Reads and takes back approvals in a database. */
export function unbegunIn(database: Database): Unbegun {
  return {
    unbegun: (environment, nowMs) => {
      const row = database.get(
        `SELECT * FROM approval WHERE environment = ?1 AND via <> 'skipConfirmation'
             AND expires_at > ?2 AND at <= ?2 + ${forgivenMs}
             AND EXISTS (SELECT 1 FROM approval_item WHERE approval_id = approval.id AND NOT superseded)
           ORDER BY id DESC LIMIT 1`,
        environment,
        nowMs,
      )
      if (row === undefined || hasBegun(database, integer(row, 'id'))) return undefined
      return {
        planId: text(row, 'plan_id'),
        commit: text(row, 'commit_id'),
        who: text(row, 'who'),
        ...optional('message', optionalText(row, 'message')),
        atMs: integer(row, 'at'),
      }
    },
    withdraw: (environment, planId) => {
      database.run(
        `UPDATE approval_item SET superseded = 1 WHERE approval_id IN
           (SELECT id FROM approval WHERE environment = ? AND plan_id = ? AND via <> 'skipConfirmation')`,
        environment,
        planId,
      )
    },
  }
}

/** Whether a step of one of its services was made since the approval was given. */
function hasBegun(database: Database, approvalId: number): boolean {
  const step = database.get(
    `SELECT 1 FROM approval
       JOIN pass ON pass.environment = approval.environment
       JOIN event ON event.pass_id = pass.id AND event.at >= approval.at
       JOIN approval_item AS item ON item.approval_id = approval.id AND item.site = event.site
         AND item.resource = event.application || '/' || event.service
       WHERE approval.id = ? LIMIT 1`,
    approvalId,
  )
  return step !== undefined
}
