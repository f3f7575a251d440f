import type { Action } from '../../plan/change/change.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optional, optionalInteger, optionalText, text, word } from '../store/row.ts'

/** What one approval covers: this release of this service on this site, and nothing else (D4, D18). */
export type ApprovedItem = {
  readonly site: string
  /** `application/service` */
  readonly resource: string
  readonly action: Action
  readonly release: string
}

/** Clocks are corrected by small amounts all the time. */
export const forgivenMs = 5 * 60 * 1000

/** How the approval was given; `command`: by a command while no daemon ran. */
export type Via = 'terminal' | 'flag' | 'control' | 'command' | 'skipConfirmation'

export type Approval = {
  readonly environment: string
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly via: Via
  readonly message?: string
  readonly items: readonly ApprovedItem[]
  readonly atMs: number
  readonly expiresAtMs: number
}

/** An item whose approval is in force, and who gave it. */
export type ActiveApproval = ApprovedItem & Omit<Approval, 'items' | 'environment'>

/** An approval as the history tells it. */
export type GivenApproval = {
  readonly who: string
  readonly via: Via
  readonly message?: string
  readonly atMs: number
}

export type Approvals = {
  /**
   * Records an approval. It replaces approvals of other releases for the same site and resource: if somebody approves
   * release 1 and then 2, release 1 is no longer approved.
   */
  approve(approval: Approval): void
  /**
   * Returns approvals for one site, or for all, that are neither expired nor replaced. An approval with a time more than five minutes ahead does
   * not count: the clock was set back, and nobody knows how old it is.
   */
  approvals(environment: string, nowMs: number, site?: string): readonly ActiveApproval[]
}

/** Keeps approvals in a database. */
export function approvalsIn(database: Database): Approvals {
  return {
    approve: approval =>
      database.transaction(() => {
        const id = insertApproval(database, approval)
        for (const item of approval.items) insertItem(database, id, approval.environment, item)
      }),
    approvals: (environment, nowMs, site) =>
      database
        .all(
          `SELECT * FROM approval_item AS item JOIN approval ON approval.id = item.approval_id
             WHERE item.environment = ?1 AND ${site === undefined ? '?3 IS NULL' : 'item.site = ?3'} AND NOT item.superseded AND approval.expires_at > ?2 AND approval.at <= ?2 + ${forgivenMs}
             ORDER BY approval.id, item.site, item.resource`,
          environment,
          nowMs,
          site,
        )
        .map(activeOf),
  }
}

function insertApproval(database: Database, approval: Approval): number {
  const { environment, planId, commit, who, via, message, atMs, expiresAtMs } = approval
  const row = database.get(
    `INSERT INTO approval (environment, plan_id, commit_id, who, via, message, at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    environment,
    planId,
    commit,
    who,
    via,
    message === undefined ? undefined : beginningOf(message),
    atMs,
    expiresAtMs,
  )
  return row === undefined ? 0 : integer(row, 'id')
}

function insertItem(database: Database, approvalId: number, environment: string, item: ApprovedItem): void {
  const { site, resource, action, release } = item
  database.run(
    `UPDATE approval_item SET superseded = 1
       WHERE environment = ? AND site = ? AND resource = ? AND release <> ? AND NOT superseded`,
    environment,
    site,
    resource,
    release,
  )
  database.run(
    `INSERT OR IGNORE INTO approval_item (approval_id, environment, site, resource, action, release)
       VALUES (?, ?, ?, ?, ?, ?)`,
    approvalId,
    environment,
    site,
    resource,
    action,
    release,
  )
}

const actions: readonly Action[] = ['create', 'replace', 'start', 'remove', 'run']

/** All ways in which an approval can be given. */
const vias: readonly Via[] = ['terminal', 'flag', 'control', 'command', 'skipConfirmation']

function activeOf(row: Row): ActiveApproval {
  return {
    site: text(row, 'site'),
    resource: text(row, 'resource'),
    action: word(row, 'action', actions),
    release: text(row, 'release'),
    planId: text(row, 'plan_id'),
    commit: text(row, 'commit_id'),
    who: text(row, 'who'),
    via: word(row, 'via', vias),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
    expiresAtMs: integer(row, 'expires_at'),
  }
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
           (SELECT item.approval_id FROM plan_change AS part JOIN approval_item AS item
              ON item.environment = ?1 AND item.site = part.site
                AND item.resource = part.application || '/' || part.service AND item.release = part.release
                AND (item.action = 'remove') = (part.action = 'remove')
              WHERE part.plan_id = ?2 AND NOT EXISTS
                (SELECT 1 FROM approval_item AS newer JOIN approval AS given ON given.id = newer.approval_id
                   WHERE newer.environment = ?1 AND newer.site = item.site AND newer.resource = item.resource
                     AND newer.release <> item.release AND newer.approval_id > item.approval_id
                     AND given.at <= ?4))
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
