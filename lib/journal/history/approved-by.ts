import { optional } from '../../object.ts'
import { type Via, vias } from '../decisions/approvals.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'

/** An approval as the history tells it. */
export type GivenApproval = {
  readonly who: string
  readonly via: Via
  readonly message?: string
  readonly atMs: number
}

/**
 * Returns the approvals in force while the pass ran that cover a change of its plan. They were given for this very
 * plan, or for one that contained the change, because after a crash the rest is planned anew (D4). An approval that was
 * replaced by one of another release before the pass began does not count.
 */
export function approvalsOfPass(database: Database, pass: Row): readonly GivenApproval[] {
  return database
    .all(
      `SELECT who, via, message, at FROM approval
         WHERE environment = ?1 AND at <= ?3 AND expires_at > ?4 AND id IN
           (SELECT given.approval_id FROM plan_change AS part
              JOIN approval_site AS given ON given.environment = ?1 AND given.site = part.site
                AND given.application = part.application
              JOIN approval_target AS item ON item.approval_id = given.approval_id AND item.target = given.target
                AND item.service = part.service AND item.release = part.release
                AND (item.action = 'remove') = (part.action = 'remove')
              WHERE part.plan_id = ?2 AND NOT EXISTS
                (SELECT 1 FROM approval_site AS later
                   JOIN approval_target AS newer ON newer.approval_id = later.approval_id
                     AND newer.target = later.target AND newer.service = item.service
                     AND newer.release <> item.release
                   JOIN approval AS told ON told.id = later.approval_id AND told.at <= ?4
                   WHERE later.environment = ?1 AND later.site = given.site
                     AND later.application = given.application AND later.approval_id > given.approval_id))
         ORDER BY id LIMIT 100`,
      text(pass, 'environment'),
      optionalText(pass, 'plan_id') ?? '',
      optionalInteger(pass, 'ended_at') ?? Number.MAX_SAFE_INTEGER,
      integer(pass, 'started_at'),
    )
    .map(approval => ({
      who: text(approval, 'who'),
      via: word(approval, 'via', vias),
      ...optional('message', optionalText(approval, 'message')),
      atMs: integer(approval, 'at'),
    }))
}
