import { optional } from '../../object.ts'
import {
  type ApprovedChange,
  forgivenMs,
  isOfChange,
  isOver,
  type Via,
  valuesOfApproved,
  vias,
} from '../decisions/approvals.ts'
import type { Database } from '../store/database.ts'
import { integer, optionalText, text, word } from '../store/row.ts'

/** An approval as the history tells it. */
export type GivenApproval = {
  readonly who: string
  readonly via: Via
  readonly message?: string
  readonly atMs: number
}

/**
 * Records on which approval a pass rests for a change that it begins: the newest one in force that covers it. What goes by
 * a rule, such as a repair, rests on none (G25).
 */
export function restOn(
  database: Pick<Database, 'run'>,
  passId: number,
  environment: string,
  change: ApprovedChange,
  atMs: number,
): void {
  database.run(
    `INSERT OR IGNORE INTO pass_approval
       SELECT ?7, max(approval.id) FROM approval_site AS part
         JOIN approval ON approval.id = part.approval_id
         JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
         WHERE part.environment = ?1 AND part.site = ?2 AND part.application = ?3 AND part.remaining > 0
           AND part.expires_at > ?8 AND approval.at <= ?8 + ${forgivenMs}
           AND ${isOfChange} AND NOT EXISTS (${isOver})
         HAVING count(*) > 0`,
    environment,
    ...valuesOfApproved(change),
    passId,
    atMs,
  )
}

/** Returns the approvals on which a pass rests, the oldest first. */
export function approvalsOfPass(database: Database, passId: number): readonly GivenApproval[] {
  return database
    .all(
      `SELECT who, via, message, at FROM approval
         WHERE id IN (SELECT approval_id FROM pass_approval WHERE pass_id = ?) ORDER BY id LIMIT 100`,
      passId,
    )
    .map(approval => ({
      who: text(approval, 'who'),
      via: word(approval, 'via', vias),
      ...optional('message', optionalText(approval, 'message')),
      atMs: integer(approval, 'at'),
    }))
}
