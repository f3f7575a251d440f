import { optional } from '../../object.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import { forgivenMs, isOfBegun } from './approvals.ts'

/** A person's approval that is in force, and of which nothing has begun on a site. */
export type UnbegunApproval = {
  readonly planId: string
  readonly commit: string
  readonly who: string
  readonly message?: string
  readonly atMs: number
  /** What of it has not begun. */
  readonly about: readonly { readonly site: string; readonly application: string }[]
  /** The sites on which all of it was carried out, sorted. */
  readonly carriedOutOn: readonly string[]
}

/**
 * The plan of a site that was shown, at its commit, and the applications of which something was approved by it; absent:
 * nothing was, because it has removals only.
 */
type TakenPlan = {
  readonly site: string
  readonly planId: string
  readonly commit: string
  readonly applications?: readonly string[]
}

/** An approval that was taken back where nothing of it had begun. */
export type TakenBack = {
  /** The sites on which it was taken back, and the plan of each that was shown, at its commit. */
  readonly plans: readonly TakenPlan[]
  /** The sites on which it has begun: there it stands. */
  readonly begun: readonly string[]
}

export type Unbegun = {
  /**
   * Returns the newest approval in force of which nothing has begun on at least one of its sites. What was approved of an
   * application before another version of it was wanted, or another content, does not count: that one has overtaken it.
   * @param without applications that do not count
   */
  unbegunApproval(
    environment: string,
    nowMs: number,
    without?: readonly string[],
  ): UnbegunApproval | undefined
  /**
   * Takes back what is approved of plans, those of single sites or of several together, on each site where nothing of
   * it has begun. Undefined if there is nothing to take back.
   */
  takeBackApprovals(environment: string, planIds: readonly string[], nowMs: number): TakenBack | undefined
  /**
   * Ends what is approved of an application, wherever nothing of it has begun. Elsewhere it ends if it turns out that
   * nothing was touched.
   */
  lapseApprovals(environment: string, application: string): void
}

/** What a person said that is in force on a site at least. The values are the environment and the time. */
const isInForce = `approval.environment = ?1 AND approval.via <> 'skipConfirmation' AND approval.expires_at > ?2
  AND approval.at <= ?2 + ${forgivenMs}`

/**
 * Whether another version of an application was wanted after somebody approved something of it, or another content of it,
 * whether that could be had or not.
 */
const isOvertaken = `EXISTS (SELECT 1 FROM release_entry AS entry WHERE entry.environment = part.environment
    AND entry.application = part.application AND entry.wanted_seq > approval.wanted_seq
  UNION ALL SELECT 1 FROM absent_version AS absent WHERE absent.environment = part.environment
    AND absent.application = part.application AND absent.wanted_seq > approval.wanted_seq)`

/**
 * Whether what cleans up was decided about again: each plan does, so a later approval on the same site stands in its
 * place. Its name has a blank, which those of services have not.
 */
const isDecidedAnew = `NOT EXISTS (SELECT 1 FROM approval_target AS item WHERE item.approval_id = part.approval_id
    AND item.target = part.target AND instr(item.service, ' ') = 0)
  AND EXISTS (SELECT 1 FROM approval_site AS later WHERE later.environment = part.environment
    AND later.site = part.site AND later.approval_id > part.approval_id)`

/** Whether something of an approval is still to come on a site. The third value are applications that do not count. */
const isToCome = `part.remaining > 0 AND part.expires_at > ?2 AND NOT ${isOvertaken} AND NOT (${isDecidedAnew})
  AND part.application NOT IN (SELECT value FROM json_each(?3))`

/** Selects the sites of an approval of which nothing has begun there, and something is to come. */
const isOpen = `SELECT 1 FROM approval_site AS part WHERE part.approval_id = approval.id AND part.expires_at > ?2
  GROUP BY part.site HAVING max(EXISTS (${isOfBegun})) = 0 AND max(${isToCome}) = 1`

/** Reads and takes back approvals in a database. */
export function unbegunIn(database: Database): Unbegun {
  return {
    unbegunApproval: (environment, nowMs, without = []) => {
      const row = database.get(
        `SELECT * FROM approval WHERE ${isInForce} AND EXISTS (${isOpen}) ORDER BY id DESC LIMIT 1`,
        environment,
        nowMs,
        JSON.stringify(without),
      )
      if (row === undefined) return undefined
      const id = integer(row, 'id')
      const open = database.all(
        `SELECT part.site, part.application FROM approval_site AS part JOIN approval ON approval.id = part.approval_id
           WHERE approval.id = ?1 AND ${isToCome} AND part.site NOT IN
             (SELECT site FROM approval_begun WHERE approval_id = ?1)`,
        id,
        nowMs,
        JSON.stringify(without),
      )
      const over = database.all(
        `SELECT part.site FROM approval_site AS part WHERE part.approval_id = ?
           GROUP BY part.site HAVING max(EXISTS (${isOfBegun})) = 1 AND max(part.remaining) = 0 ORDER BY part.site`,
        id,
      )
      return {
        ...approvalOf(row),
        about: open.map(one => ({ site: text(one, 'site'), application: text(one, 'application') })),
        carriedOutOn: over.map(one => text(one, 'site')),
      }
    },
    takeBackApprovals: (environment, planIds, nowMs) =>
      database.transaction(() => {
        const shown = onceEach(planIds.flatMap(planId => shownAs(database, environment, planId, nowMs)))
        const open = shown.filter(({ state }) => state === 'open')
        if (open.length === 0) return undefined
        for (const { site, approvals } of open)
          for (const id of approvals)
            database.run(
              'UPDATE approval_site SET remaining = 0 WHERE approval_id = ? AND site = ?',
              id,
              site,
            )
        return {
          // Of a site with removals only, which are confirmed apart, nothing was approved yet.
          plans: shown
            .filter(({ state }) => state === 'open' || state === 'nothing')
            .map(({ site, planId, commit, approvals }) => {
              const applications = applicationsIn(database, site, approvals)
              return {
                ...{ site, planId, commit },
                ...optional('applications', applications.length === 0 ? undefined : applications),
              }
            }),
          begun: shown.filter(({ state }) => state === 'begun').map(({ site }) => site),
        }
      }),
    lapseApprovals: (environment, application) => {
      database.run(
        `UPDATE approval_site AS part
           SET is_left = 1, remaining = CASE WHEN EXISTS (${isOfBegun}) THEN remaining ELSE 0 END
           WHERE environment = ? AND application = ? AND remaining > 0`,
        environment,
        application,
      )
    },
  }
}

/**
 * The plan of a site that was shown, what becomes of it, and its approvals. `nothing`: none of its changes was
 * approved. `over`: the approval was replaced, taken back, or has lapsed.
 */
type Shown = TakenBack['plans'][number] & {
  readonly state: 'open' | 'begun' | 'nothing' | 'over'
  readonly approvals: readonly number[]
}

function onceEach(shown: readonly Shown[]): readonly Shown[] {
  return [...new Map(shown.map(one => [JSON.stringify([one.site, one.planId]), one])).values()]
}

/** Returns the plans of sites that were approved by the id of a plan, which is theirs or that of all together. */
function shownAs(database: Database, environment: string, planId: string, nowMs: number): readonly Shown[] {
  const plans = database.all(
    `SELECT DISTINCT shown.site, shown.plan_id, shown.commit_id
       FROM approval JOIN approval_plan AS shown ON shown.approval_id = approval.id
       WHERE ${isInForce} AND approval.id IN
         (SELECT id FROM approval WHERE environment = ?1 AND plan_id = ?3
            UNION SELECT approval_id FROM approval_plan WHERE environment = ?1 AND plan_id = ?3)
         AND (approval.plan_id = ?3 OR shown.plan_id = ?3)
       ORDER BY shown.site`,
    environment,
    nowMs,
    planId,
  )
  return plans.map(plan => {
    const [site, own] = [text(plan, 'site'), text(plan, 'plan_id')]
    const approvals = database.all(
      `SELECT approval.id, max(EXISTS (${isOfBegun})) AS begun,
           max(CASE WHEN part.expires_at <= ?2 THEN 0 ELSE part.remaining END) AS remaining
         FROM approval_plan AS shown JOIN approval ON approval.id = shown.approval_id
         LEFT JOIN approval_site AS part ON part.approval_id = approval.id AND part.site = shown.site
         WHERE ${isInForce} AND shown.environment = ?1 AND shown.plan_id = ?3 AND shown.site = ?4
         GROUP BY approval.id ORDER BY approval.id DESC`,
      environment,
      nowMs,
      own,
      site,
    )
    return {
      site,
      planId: own,
      commit: text(plan, 'commit_id'),
      state: stateOf(approvals),
      approvals: approvals.map(row => integer(row, 'id')),
    }
  })
}

/** Returns the applications of which something was approved on a site. */
function applicationsIn(database: Database, site: string, approvals: readonly number[]): readonly string[] {
  const rows = database.all(
    `SELECT DISTINCT application FROM approval_site
       WHERE site = ? AND approval_id IN (SELECT value FROM json_each(?)) ORDER BY application`,
    site,
    JSON.stringify(approvals),
  )
  return rows.map(row => text(row, 'application'))
}

/** Returns what becomes of a plan that was approved once or more often, the newest first. */
function stateOf(approvals: readonly Row[]): Shown['state'] {
  // An approval of several sites together leaves out what was approved before.
  const [newest] = approvals.filter(({ remaining }) => remaining !== null)
  if (approvals.some(({ begun, remaining }) => begun === 1 && remaining !== 0)) return 'begun'
  if (newest === undefined) return 'nothing'
  if (newest['remaining'] !== 0) return 'open'
  return newest['begun'] === 1 ? 'begun' : 'over'
}

function approvalOf(row: Row): Omit<UnbegunApproval, 'about' | 'carriedOutOn'> {
  return {
    planId: text(row, 'plan_id'),
    commit: text(row, 'commit_id'),
    who: text(row, 'who'),
    ...optional('message', optionalText(row, 'message')),
    atMs: integer(row, 'at'),
  }
}
