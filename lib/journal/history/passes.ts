import { type Change, type InstanceLine, isBack, type Plan } from '../../plan/change/change.ts'
import type { Outcome } from '../../state/pass/outcome.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import type { Revision } from '../../state/repository/revision.ts'
import type { SyncStatus } from '../../state/running/health.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database } from '../store/database.ts'
import type { Insistent } from '../store/insistent.ts'
import type { JournalProcess } from '../store/process.ts'
import { integer } from '../store/row.ts'
import { countPass, passPlaceOf } from './pass-counts.ts'
import { keepPostMortem } from './post-mortems.ts'
import { deletePass, type Retention, retire } from './retention.ts'
import { sameAsBefore, seenByPass } from './same-as-before.ts'

export type PassStart = {
  readonly environment: string
  /** Absent: the pass came to no site, because the repository could not be read. */
  readonly site?: string
  /** What started the pass: `poll`, `webhook`, `command`, … */
  readonly trigger: string
  readonly atMs: number
  /** Absent: it is not known yet. */
  readonly revision?: Revision
}

export type RecordedError = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly resource?: string
  /** How many other errors the pass had; absent: none. */
  readonly more?: number
}

export type PassEnd = {
  readonly outcome: Outcome
  readonly error?: RecordedError
  readonly sync: SyncStatus
  readonly atMs: number
}

/**
 * Records a pass while it runs. Each call is durable when it returns, so that a crash loses nothing (G25). Only
 * `recordStep`, `endPass` and `recordPass`, which record what is done already, keep in memory what cannot be written now.
 */
export type Passes = {
  /** Returns the number of the pass. A later pass always has a greater one. */
  beginPass(start: PassStart): number
  setRevision(passId: number, revision: Revision): void
  /**
   * Stores a plan once, under its id. What belongs to the pass alone, revision and remarks, is stored with the pass.
   */
  setPlan(passId: number, plan: Plan): void
  recordStep(passId: number, event: StepEvent): void
  /**
   * Ends the pass and returns its final number. A pass that did nothing and says the same as the one before it is not
   * kept. The earlier one is counted once more and gets the later time, so that polling for years does not fill the
   * file. `also` is written together with it.
   */
  endPass(passId: number, end: PassEnd, also?: () => void): number
  /**
   * Records a pass of which nothing was recorded while it ran, because it did nothing, as `beginPass` and `endPass` do
   * together.
   */
  recordPass(start: PassStart, end: PassEnd, also?: () => void): number | undefined
}

/** Keeps passes in a database. */
export function passesIn(database: Insistent, writer: JournalProcess, retention: Retention): Passes {
  return {
    beginPass: start => database.transaction(() => beginPass(database, writer, start)),
    setRevision: (passId, revision) => setRevision(database, passId, revision),
    setPlan: (passId, plan) =>
      database.transaction(() => {
        keepPlan(database, plan)
        database.run(
          'UPDATE pass SET plan_id = ?, remarks = ?, revision = ?, commit_id = ? WHERE id = ?',
          plan.id,
          remarksOf(plan),
          revisionText(plan.revision),
          plan.revision.commit,
          passId,
        )
      }),
    recordStep: (passId, event) => database.insist('history', () => append(database, passId, event)),
    endPass: (passId, end, also) => {
      let kept = passId
      database.insist('decision', () => {
        kept = endPass(database, passId, end, retention)
        also?.()
      })
      return kept
    },
    recordPass: (start, end, also) => {
      let kept: number | undefined
      database.insist('look', () => {
        kept = recordPass(database, writer, start, end, retention)
        also?.()
      })
      return kept
    },
  }
}

function beginPass(
  database: Database,
  writer: JournalProcess,
  { environment, site = '', trigger, atMs, revision }: PassStart,
): number {
  const row = database.get(
    `INSERT INTO pass (environment, site, triggered_by, writer, pid, started_at, seen_at, revision, commit_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    environment,
    site,
    trigger,
    writer.id,
    writer.pid,
    atMs,
    atMs,
    revision && revisionText(revision),
    revision?.commit,
  )
  countPass(database, { environment, site })
  return row === undefined ? 0 : integer(row, 'id')
}

function recordPass(
  database: Database,
  writer: JournalProcess,
  start: PassStart,
  end: PassEnd,
  retention: Retention,
): number {
  const { environment, site = '', revision } = start
  const same = sameAsBefore(
    database,
    { environment, site, commit: revision?.commit },
    { ...end, error: errorText(end.error) },
  )
  if (same === undefined) return endPass(database, beginPass(database, writer, start), end, retention)
  repeat(database, same, end)
  return same
}

function repeat(database: Database, passId: number, { atMs }: PassEnd): void {
  database.run('UPDATE pass SET repeats = repeats + 1, seen_at = ? WHERE id = ?', atMs, passId)
}

function endPass(database: Database, passId: number, end: PassEnd, retention: Retention): number {
  const error = errorText(end.error)
  const pass = seenByPass(database, passId)
  const same = pass && sameAsBefore(database, pass, { ...end, error })
  if (same !== undefined) {
    repeat(database, same, end)
    database.run('UPDATE waiting SET pass_id = ? WHERE pass_id = ?', same, passId)
    deletePass(database, passId)
    return same
  }
  const ended = database.get(
    `UPDATE pass SET outcome = ?, sync = ?, error = ?, ended_at = ?, seen_at = ? WHERE id = ?
       RETURNING environment, site`,
    end.outcome,
    end.sync,
    error,
    end.atMs,
    end.atMs,
    passId,
  )
  if (ended !== undefined) retire(database, passPlaceOf(ended), retention)
  return passId
}

function setRevision(database: Database, passId: number, revision: Revision): void {
  database.run(
    'UPDATE pass SET revision = ?, commit_id = ? WHERE id = ?',
    revisionText(revision),
    revision.commit,
    passId,
  )
}

function revisionText(revision: Revision): string {
  return JSON.stringify({ ...revision, subject: beginningOf(revision.subject) })
}

/** Returns what a plan says besides its changes. */
function remarksOf({ blocked, unseen, warnings }: Plan): string | undefined {
  const none = blocked.length + unseen.length + warnings.length === 0
  return none ? undefined : JSON.stringify({ blocked, unseen, warnings })
}

function keepPlan(database: Database, plan: Plan): void {
  const { id, environment, changes } = plan
  const added = database.run(
    'INSERT OR IGNORE INTO plan VALUES (?, ?, ?, ?, ?, ?)',
    id,
    count(changes, '+'),
    count(changes, '-/+'),
    count(changes, '~'),
    count(changes, '-'),
    changes
      .filter(change => change.cause === 'drifted' && change.held === undefined && !isBack(change))
      .flatMap(({ lines }) => lines).length,
  )
  if (added === 0) return
  database.run('INSERT INTO plan_body VALUES (?, ?)', id, JSON.stringify({ id, environment, changes }))
  for (const { site, application, service, action, release } of changes) {
    database.run(
      'INSERT OR IGNORE INTO plan_change VALUES (?, ?, ?, ?, ?, ?)',
      id,
      site,
      application,
      service,
      action,
      release,
    )
  }
}

function count(changes: readonly Change[], sign: InstanceLine['sign']): number {
  const due = changes.filter(({ held }) => held === undefined)
  return due.flatMap(({ lines }) => lines).filter(line => line.sign === sign).length
}

function append(database: Database, passId: number, event: StepEvent): void {
  const { atMs, site, application, service, step, stage, phase, durationMs, error, note } = event
  database.run(
    `INSERT INTO event (pass_id, at, site, application, service, step, stage, phase, duration_ms, error, note)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    passId,
    atMs,
    site,
    application,
    service,
    beginningOf(step),
    stage,
    phase,
    durationMs === undefined ? undefined : Math.round(durationMs),
    error && JSON.stringify({ code: error.code, message: beginningOf(error.message) }),
    note && beginningOf(note),
  )
  keepPostMortem(database, passId, event)
}

function errorText(error: RecordedError | undefined): string | undefined {
  return (
    error && JSON.stringify({ ...error, message: beginningOf(error.message), hint: beginningOf(error.hint) })
  )
}
