import { optional } from '../../object.ts'
import { type Plan, placeName } from '../../plan/change/change.ts'
import { type Outcome, outcomes } from '../../state/pass/outcome.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { Revision } from '../../state/repository/revision.ts'
import type { SyncStatus } from '../../state/running/health.ts'
import { discardOfPass, type GivenDiscard } from '../decisions/discards.ts'
import type { Database, Row } from '../store/database.ts'
import { type JournalProcess, mayBeRunning } from '../store/process.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'
import { approvalsOfPass, type GivenApproval } from './approved-by.ts'
import { type BegunChange, type BegunOfPlan, begunOfPlan, changesOfPass } from './begun-changes.ts'
import { type ChangedDigests, digestsOf } from './digests.ts'
import { type FailedLater, failedLater } from './failed-later.ts'
import type { RecordedError } from './passes.ts'
import { type KeptPostMortem, postMortemsOf } from './post-mortems.ts'
import { stepsOfPass } from './steps.ts'

/** A summary of one pass: one entry of `tallyman log`. */
export type LogEntry = {
  readonly passId: number
  readonly environment: string
  /** Present if the environment has passes over several sites. */
  readonly site?: string
  readonly trigger: string
  readonly startedAtMs: number
  /** Absent while it runs, and if its process died. */
  readonly endedAtMs?: number
  /** How many later passes found the same and did nothing, and the time of the last of them. */
  readonly repeats: number
  readonly lastSeenAtMs: number
  /** Absent if the pass failed before it knew the revision. */
  readonly revision?: Revision
  readonly planId?: string
  readonly outcome: Outcome | 'running'
  readonly sync?: SyncStatus
  /** Numbers of instances in the plan. What is held is not counted. */
  readonly planned: PlannedCounts
  /** How much of its plan it began; absent: nothing, or it was made before that was recorded. */
  readonly begun?: BegunOfPlan
  /** Who approved what it began, oldest first. */
  readonly approvedBy: readonly GivenApproval[]
  /** Who discarded its plan, at its commit. */
  readonly discardedBy?: GivenDiscard
  readonly error?: RecordedError
  /** How many hooks failed in it whose failure is ignored; absent: none. */
  readonly ignoredHooks?: number
  /** How many applications were held at another version than that of the commit; absent: none. */
  readonly held?: number
  /** What its plan warned of that was lost; absent: nothing. */
  readonly losses?: readonly Loss[]
  /** The deployments that failed on its site since then, and before the next pass over that; absent: none. */
  readonly failedLater?: readonly FailedLater[]
}

/** What is gone with all that was in it, and made anew. */
export type Loss = (typeof losses)[number]

const losses = ['swarm-made-anew', 'volume-gone'] as const

export type PlannedCounts = {
  readonly create: number
  readonly replace: number
  readonly start: number
  readonly remove: number
  /** How many of all these repair changes from outside. */
  readonly drift: number
}

/** The record of one pass: what `tallyman show` prints. */
export type PassRecord = LogEntry & {
  readonly plan?: Plan
  /** The changes that it began; absent: none, or it was made before that was recorded. */
  readonly begunChanges?: readonly BegunChange[]
  /** Of what it began, and of the whole plan where that is not known. */
  readonly digests: readonly ChangedDigests[]
  /** The first 10,000, in the order in which they happened. */
  readonly events: readonly StepEvent[]
  /** The number of all events. */
  readonly eventCount: number
  /** Records of containers that failed; absent if none did. */
  readonly postMortems?: readonly KeptPostMortem[]
}

export type LogQuery = {
  readonly environment?: string
  /** Only passes over that site. */
  readonly site?: string
  /** Only passes that changed that application, and those that changed nothing and whose plan would. */
  readonly application?: string
  /** Only passes that were seen at that time or later. */
  readonly sinceMs?: number
  /** Only passes after that one. */
  readonly afterPassId?: number
  /** Only passes before that one: for the next page. */
  readonly beforePassId?: number
  /** At most 1,000. */
  readonly limit: number
}

export type History = {
  /** Returns the newest first. */
  log(query: LogQuery): readonly LogEntry[]
  /** Returns undefined if there is no such pass, or if it was removed. */
  show(passId: number): PassRecord | undefined
  /** Returns the numbers of the oldest and the newest known pass; undefined if there is none. */
  knownPasses(): { readonly first: number; readonly last: number } | undefined
}

const mostEntries = 1_000

/** Reads the history from a database. */
export function historyIn(database: Database, writer: JournalProcess): History {
  return {
    log: query => {
      const rows = entriesOf(database, query)
      const failed = failedLater(database, rows)
      return rows.map(row => entryOf(database, writer, row, failed))
    },
    show: passId => {
      const row = database.get(`${selectPass} WHERE pass.id = ?`, passId)
      return row && recordOf(database, writer, row)
    },
    knownPasses: () => {
      const row = database.get('SELECT min(id) AS first, max(id) AS last FROM pass HAVING count(*) > 0')
      return row && { first: integer(row, 'first'), last: integer(row, 'last') }
    },
  }
}

const selectPass = `SELECT pass.*, plan.creates, plan.replaces, plan.starts, plan.removes, plan.drifted
  FROM pass LEFT JOIN plan ON plan.id = pass.plan_id`

function entriesOf(database: Database, query: LogQuery): readonly Row[] {
  const { environment, site, application, sinceMs, afterPassId, beforePassId, limit } = query
  return database.all(
    `${selectPass}
       WHERE (?1 IS NULL OR pass.environment = ?1)
         AND (?2 IS NULL OR EXISTS
           (SELECT 1 FROM plan_change AS part WHERE part.plan_id = pass.plan_id AND part.application = ?2)
             AND (EXISTS (SELECT 1 FROM pass_change AS begun WHERE begun.pass_id = pass.id AND begun.application = ?2)
               OR NOT EXISTS (SELECT 1 FROM pass_change AS begun WHERE begun.pass_id = pass.id)))
         AND (?3 IS NULL OR pass.seen_at >= ?3)
         AND pass.id > ?4 AND pass.id < ?5
         AND (?6 IS NULL OR pass.site = ?6)
       ORDER BY pass.id DESC LIMIT ?7`,
    environment,
    application,
    sinceMs,
    afterPassId ?? 0,
    beforePassId ?? Number.MAX_SAFE_INTEGER,
    site,
    Math.min(limit, mostEntries),
  )
}

function entryOf(
  database: Database,
  writer: JournalProcess,
  row: Row,
  failed: ReadonlyMap<number, readonly FailedLater[]>,
): LogEntry {
  const warnings = warningsIn(row)
  const error = errorOf(row)
  return {
    passId: integer(row, 'id'),
    environment: text(row, 'environment'),
    ...optional('site', siteOf(database, row)),
    trigger: text(row, 'triggered_by'),
    startedAtMs: integer(row, 'started_at'),
    ...optional('endedAtMs', optionalInteger(row, 'ended_at')),
    repeats: integer(row, 'repeats'),
    lastSeenAtMs: integer(row, 'seen_at'),
    ...optional('revision', revisionOf(row)),
    ...optional('planId', optionalText(row, 'plan_id')),
    outcome: outcomeOf(row, writer),
    ...optional('sync', row['sync'] === null ? undefined : word(row, 'sync', syncs)),
    planned: plannedOf(row),
    ...optional('begun', begunOfPlan(database, integer(row, 'id'))),
    approvedBy: approvalsOfPass(database, integer(row, 'id')),
    ...optional('discardedBy', discardOfPass(database, row)),
    ...optional('error', error),
    ...optional('ignoredHooks', ignoredHooksOf(database, row)),
    ...optional('held', heldIn(warnings)),
    ...optional('losses', lossesIn(warnings)),
    // What failed in it is said by its error.
    ...optional('failedLater', error === undefined ? failed.get(integer(row, 'id')) : undefined),
  }
}

/** Returns the site of a pass, if there are passes over other sites to tell it from. */
function siteOf(database: Database, row: Row): string | undefined {
  const [environment, site] = [text(row, 'environment'), text(row, 'site')]
  const others = ['site > ?2', "site < ?2 AND site > ''"].map(other =>
    database.get(`SELECT 1 FROM pass WHERE environment = ?1 AND ${other} LIMIT 1`, environment, site),
  )
  return site === '' || others.every(other => other === undefined) ? undefined : site
}

function revisionOf(row: Row): Revision | undefined {
  const revision = optionalText(row, 'revision')
  return revision === undefined ? undefined : JSON.parse(revision)
}

function outcomeOf(row: Row, writer: JournalProcess): Outcome | 'running' {
  if (row['outcome'] !== null) return word(row, 'outcome', outcomes)
  return mayBeRunning(writer, { id: text(row, 'writer'), pid: integer(row, 'pid') })
    ? 'running'
    : 'interrupted'
}

function plannedOf(row: Row): PlannedCounts {
  return {
    create: optionalInteger(row, 'creates') ?? 0,
    replace: optionalInteger(row, 'replaces') ?? 0,
    start: optionalInteger(row, 'starts') ?? 0,
    remove: optionalInteger(row, 'removes') ?? 0,
    drift: optionalInteger(row, 'drifted') ?? 0,
  }
}

function errorOf(row: Row): RecordedError | undefined {
  const error = optionalText(row, 'error')
  return error === undefined ? undefined : JSON.parse(error)
}

function heldIn(warnings: Plan['warnings']): number | undefined {
  const number = warnings.filter(({ code }) => code === 'version-held').length
  return number === 0 ? undefined : number
}

function lossesIn(warnings: Plan['warnings']): readonly Loss[] | undefined {
  const codes = new Set<string>(warnings.map(({ code }) => code))
  const found = losses.filter(code => codes.has(code))
  return found.length === 0 ? undefined : found
}

function warningsIn(row: Row): Plan['warnings'] {
  const { warnings }: Pick<Plan, 'warnings'> = JSON.parse(optionalText(row, 'remarks') ?? '{"warnings":[]}')
  return warnings
}

/** No other step runs to an end, and ends without having done its work. */
function ignoredHooksOf(database: Database, row: Row): number | undefined {
  const counted = database.get(
    "SELECT count(*) AS number FROM event WHERE pass_id = ? AND phase = 'skipped' AND step LIKE 'run-to-end %'",
    integer(row, 'id'),
  )
  const number = counted === undefined ? 0 : integer(counted, 'number')
  return number === 0 ? undefined : number
}

function recordOf(database: Database, writer: JournalProcess, row: Row): PassRecord {
  const entry = entryOf(database, writer, row, failedLater(database, [row]))
  const plan = planOf(database, row, entry)
  const { events, eventCount } = stepsOfPass(database, entry.passId)
  const postMortems = postMortemsOf(database, entry.passId)
  const begun = changesOfPass(database, entry.passId)
  const names = new Set(begun.map(placeName))
  const changed = (plan?.changes ?? []).filter(change => names.size === 0 || names.has(placeName(change)))
  return {
    ...entry,
    ...optional('plan', plan),
    ...(begun.length === 0 ? {} : { begunChanges: begun }),
    digests: changed.map(digestsOf),
    events,
    eventCount,
    ...(postMortems.length === 0 ? {} : { postMortems }),
  }
}

function planOf(database: Database, row: Row, { planId, revision }: LogEntry): Plan | undefined {
  const plan =
    planId === undefined ? undefined : database.get('SELECT body FROM plan_body WHERE plan_id = ?', planId)
  if (plan === undefined || revision === undefined) return undefined
  return {
    ...JSON.parse(text(plan, 'body')),
    revision,
    ...JSON.parse(optionalText(row, 'remarks') ?? '{"blocked":[],"unseen":[],"warnings":[]}'),
  }
}

const syncs: readonly SyncStatus[] = ['Synced', 'OutOfSync', 'Unknown']
