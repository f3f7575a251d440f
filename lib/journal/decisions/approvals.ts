import { optional } from '../../object.ts'
import type { Action, Change, ServicePlace } from '../../plan/change/change.ts'
import { lastSeq } from '../fleet/wanted-seq.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'
import { type ApprovedItem, type ApprovedPart, targetsOf } from './approved-targets.ts'

/** Clocks are corrected by small amounts all the time. */
export const forgivenMs = 5 * 60 * 1000

/** How the approval was given; `command`: by a command while no daemon ran. */
export type Via = 'terminal' | 'flag' | 'control' | 'command' | 'skipConfirmation'

/**
 * Somebody's consent to a plan. It is kept as a set of application targets, each with the sites that it is for. It
 * lapses, is replaced, taken back or used up for each service on each site apart.
 */
export type Approval = {
  readonly environment: string
  /** The plan that was shown: of one site, or of several together. */
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly via: Via
  readonly message?: string
  readonly parts: readonly ApprovedPart[]
  readonly atMs: number
  /** When it ends on the sites of which nothing else is said. */
  readonly expiresAtMs: number
}

/** An approval of one change on a site that is in force. The plan and the commit are those of the site. */
export type ActiveApproval = ApprovedItem &
  Omit<Approval, 'parts' | 'environment'> & {
    /** The last change of a wanted version before it was given; absent: that was not on record yet. */
    readonly wantedSeq?: number
  }

/** What of an approval has begun: a release of a service on a site. */
export type BegunItem = {
  readonly approval: number
  readonly site: string
  readonly application: string
  readonly service: string
  readonly release: string
}

/** A change on a site, as an approval names it. */
export type ApprovedChange = ServicePlace & Pick<Change, 'action' | 'release'>

export type Approvals = {
  /**
   * Records an approval. On the same site, it replaces approvals of other releases of the same service: if somebody
   * approves release 1 and then 2, release 1 is no longer approved. One approval may name several releases of a service,
   * which it gets one after the other (X18).
   */
  approve(approval: Approval): void
  /**
   * Returns what is approved on a site: neither expired nor replaced, used up or taken back. An approval with a time
   * more than five minutes ahead does not count: the clock was set back, and nobody knows how old it is.
   */
  approvals(environment: string, site: string, nowMs: number): readonly ActiveApproval[]
  /**
   * Records that these changes begin: what approves them on their site can no longer be taken back. Returns what of it
   * had not begun before.
   */
  beginApproved(environment: string, changes: readonly ApprovedChange[]): readonly BegunItem[]
  /** Returns what of approvals that cover a change has begun on its site. */
  begunItems(environment: string, change: ApprovedChange): readonly BegunItem[]
  /**
   * Takes back that this has begun, because nothing of it was touched. It stays approved, unless somebody went back to
   * another version of its application meanwhile, and nothing else of the application has begun: then it lapses (X18).
   */
  takeBackBegun(items: readonly BegunItem[]): void
  /** Records that a change was made: what approves it there is used up. */
  useApproval(environment: string, change: ApprovedChange): void
}

/** Keeps approvals in a database. */
export function approvalsIn(database: Database): Approvals {
  return {
    approve: approval =>
      database.transaction(() => {
        const id = insertApproval(database, approval)
        insertTargets(database, id, approval)
        replaceEarlier(database, id)
      }),
    approvals: (environment, site, nowMs) =>
      database.all(selectInForce, environment, site, nowMs).map(activeOf),
    beginApproved: (environment, changes) =>
      database.transaction(() =>
        changes.flatMap(change =>
          database
            .all(
              `INSERT OR IGNORE INTO approval_begun
                 SELECT part.approval_id, part.site, part.application, item.service, item.release ${fromCovering}
                   AND NOT EXISTS (${isOver})
                 RETURNING *`,
              environment,
              ...valuesOfApproved(change),
            )
            .map(begunItemOf),
        ),
      ),
    begunItems: (environment, change) =>
      database
        .all(
          `SELECT begun.* FROM approval_begun AS begun
             WHERE (begun.approval_id, begun.site, begun.application, begun.service, begun.release) IN
               (SELECT part.approval_id, part.site, part.application, item.service, item.release ${fromCovering})`,
          environment,
          ...valuesOfApproved(change),
        )
        .map(begunItemOf),
    takeBackBegun: items =>
      database.transaction(() => {
        for (const { approval, site, application, service, release } of items) {
          database.run(
            `DELETE FROM approval_begun
               WHERE approval_id = ? AND site = ? AND application = ? AND service = ? AND release = ?`,
            ...[approval, site, application, service, release],
          )
          database.run(
            `UPDATE approval_site AS part SET remaining = 0
               WHERE approval_id = ? AND site = ? AND application = ? AND is_left = 1 AND NOT EXISTS (${isOfBegun})`,
            ...[approval, site, application],
          )
        }
      }),
    useApproval: (environment, change) =>
      database.transaction(() =>
        endItems(
          database,
          `SELECT part.approval_id, part.site, part.application, item.service, item.release ${fromCovering}`,
          environment,
          ...valuesOfApproved(change),
        ),
      ),
  }
}

/**
 * Selects the item of a target that covers a change: after a crash the rest may be a start where a create was approved,
 * so the release decides. Only the approval of a removal covers a removal.
 */
export const isOfChange =
  "item.service = ?4 AND item.release = ?5 AND (item.action = 'remove') = (?6 = 'remove')"

/** The items in force that cover a change. */
const fromCovering = `FROM approval_site AS part
  JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
  WHERE part.environment = ?1 AND part.site = ?2 AND part.application = ?3 AND part.remaining > 0 AND ${isOfChange}`

/** The values of a change in the order in which `isOfChange` and what is around it name them, from the second on. */
export function valuesOfApproved({ site, application, service, release, action }: ApprovedChange) {
  return [site, application, service, release, action] as const
}

/** Selects what is over: that service is no longer approved there by that approval. */
export const isOver = `SELECT 1 FROM approval_over AS past WHERE past.approval_id = part.approval_id
  AND past.site = part.site AND past.application = part.application AND past.service = item.service
  AND past.release = item.release`

/** Selects what of the approval of an application on a site has begun. */
export const isOfBegun = `SELECT 1 FROM approval_begun AS begun WHERE begun.approval_id = part.approval_id
  AND begun.site = part.site AND begun.application = part.application`

/** What an approval replaces: the other releases of its services that were approved before on the same site. */
const fromReplaced = `FROM approval_site AS given
  JOIN approval_target AS now ON now.approval_id = given.approval_id AND now.target = given.target
  JOIN approval_site AS part ON part.environment = given.environment AND part.site = given.site
    AND part.application = given.application AND part.approval_id < given.approval_id AND part.remaining > 0
  JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
    AND item.service = now.service
  WHERE given.approval_id = ?1 AND NOT EXISTS (SELECT 1 FROM approval_target AS same
    WHERE same.approval_id = given.approval_id AND same.target = given.target
      AND same.service = item.service AND same.release = item.release)`

const selectInForce = `SELECT part.application || '/' || item.service AS resource, item.action, item.release,
    shown.plan_id, shown.commit_id, approval.who, approval.via, approval.message, approval.at, part.expires_at,
    approval.wanted_seq
  FROM approval_site AS part
  JOIN approval ON approval.id = part.approval_id
  JOIN approval_plan AS shown ON shown.approval_id = part.approval_id AND shown.site = part.site
  JOIN approval_target AS item ON item.approval_id = part.approval_id AND item.target = part.target
  WHERE part.environment = ?1 AND part.site = ?2 AND part.remaining > 0 AND part.expires_at > ?3
    AND approval.at <= ?3 + ${forgivenMs} AND NOT EXISTS (${isOver})
  ORDER BY approval.id, resource`

function insertApproval(database: Database, approval: Approval): number {
  const { environment, planId, commit, who, via, message, atMs, parts, expiresAtMs } = approval
  const row = database.get(
    `INSERT INTO approval (environment, plan_id, commit_id, who, via, message, at, expires_at, wanted_seq)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${lastSeq}) RETURNING id`,
    environment,
    planId,
    commit,
    who,
    via,
    message === undefined ? undefined : beginningOf(message),
    atMs,
    parts.reduce((last, { expiresAtMs: own = expiresAtMs }) => Math.max(last, own), expiresAtMs),
  )
  return row === undefined ? 0 : integer(row, 'id')
}

function insertTargets(database: Database, id: number, { environment, parts, expiresAtMs }: Approval): void {
  for (const { site, planId, commit } of parts)
    database.run('INSERT INTO approval_plan VALUES (?, ?, ?, ?, ?)', environment, planId, id, site, commit)
  const ends = new Map(parts.map(({ site, expiresAtMs: own }) => [site, own ?? expiresAtMs]))
  for (const [target, { application, items, sites }] of targetsOf(parts).entries()) {
    for (const { service, action, release } of items)
      database.run('INSERT INTO approval_target VALUES (?, ?, ?, ?, ?)', id, target, service, action, release)
    for (const site of sites)
      database.run(
        `INSERT INTO approval_site (environment, site, application, approval_id, target, expires_at, remaining)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        environment,
        site,
        application,
        id,
        target,
        ends.get(site) ?? expiresAtMs,
        items.length,
      )
  }
}

/**
 * Most approvals replace all that was left of an earlier one on a site. One statement ends these on all sites; of the
 * others, each release is ended by itself.
 */
function replaceEarlier(database: Database, id: number): void {
  database.run(
    `UPDATE approval_site SET remaining = 0 WHERE (environment, site, application, approval_id) IN
       (SELECT environment, site, application, approval_id
          FROM (SELECT DISTINCT part.*, item.service, item.release ${fromReplaced} AND NOT EXISTS (${isOver}))
          GROUP BY environment, site, application, approval_id HAVING count(*) = remaining)`,
    id,
  )
  endItems(
    database,
    `SELECT DISTINCT part.approval_id, part.site, part.application, item.service, item.release ${fromReplaced}`,
    id,
  )
}

/** Ends the approval of the releases that a statement selects, of those that are not over yet. */
function endItems(database: Database, select: string, ...values: readonly (string | number)[]): void {
  for (const row of database.all(select, ...values)) {
    const key = [integer(row, 'approval_id'), text(row, 'site'), text(row, 'application')] as const
    const ended = database.run(
      'INSERT OR IGNORE INTO approval_over VALUES (?, ?, ?, ?, ?)',
      ...key,
      text(row, 'service'),
      text(row, 'release'),
    )
    if (ended > 0)
      database.run(
        `UPDATE approval_site SET remaining = remaining - 1
           WHERE approval_id = ? AND site = ? AND application = ?`,
        ...key,
      )
  }
}

function begunItemOf(row: Row): BegunItem {
  return {
    approval: integer(row, 'approval_id'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    service: text(row, 'service'),
    release: text(row, 'release'),
  }
}

const actions: readonly Action[] = ['create', 'replace', 'scale', 'start', 'remove', 'run']

/** All ways in which an approval can be given. */
export const vias: readonly Via[] = ['terminal', 'flag', 'control', 'command', 'skipConfirmation']

function activeOf(row: Row): ActiveApproval {
  return {
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
    ...optional('wantedSeq', optionalInteger(row, 'wanted_seq')),
  }
}
