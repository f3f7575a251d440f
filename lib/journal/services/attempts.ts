import { optional } from '../../object.ts'
import type { Attempt, BegunJob } from '../../plan/compare/past.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text, word } from '../store/row.ts'
import {
  forgetService,
  isOfService,
  isOnSite,
  nameOfService,
  type ServiceKey,
  serviceOf,
  valuesOf,
} from './service-key.ts'

/** An attempt on record. */
export type RecordedAttempt = Attempt & {
  /** Absent: not known. */
  readonly begunAtMs?: number
  /** For how long it waited for what is no part of it; absent: it did not. */
  readonly waitedMs?: number
  /** Since when it waits for that, in ms since 1970; absent: it does not. */
  readonly waitsSinceMs?: number
}

/** An attempt that has begun and neither ended nor failed. */
export type OpenAttempt = ServiceKey & Pick<RecordedAttempt, 'of' | 'begunAtMs'>

/** What each service is being brought to, or was brought to last, and whether that attempt has ended (D18). */
export type Attempts = {
  /**
   * Records what a service is being brought to from now on. If it continues after an interruption, its first beginning
   * counts, and so does a trouble that it had. Ends a quarantine: either somebody asked for the attempt, or it is another
   * release.
   * @param entry its `job` is the one from which it goes on
   */
  beginAttempt(
    entry: ServiceKey & Pick<Attempt, 'target' | 'release' | 'of' | 'job'> & { readonly atMs: number },
  ): void
  /**
   * Records that a job of the attempt begins, before it does.
   * @param noReturn from now on the old version is not started again by itself (H29)
   */
  beginJob(key: ServiceKey, job: BegunJob, noReturn: boolean): void
  /** Records that the job which began last is over. */
  endJob(key: ServiceKey): void
  /** Records since when an attempt waits for what is no part of it, unless it does already. */
  attemptWaits(key: ServiceKey, sinceMs: number): void
  /** Records that an attempt waits no longer, if it did. */
  attemptGoesOn(key: ServiceKey, atMs: number): void
  /** Takes back that an attempt began, because nothing of it was touched: what was on record before it is again. */
  takeBackAttempt(key: ServiceKey, before: RecordedAttempt | undefined): void
  /** Records that the attempt failed, and that the state before it is not yet restored. */
  attemptFailed(key: ServiceKey): void
  /** Records that the attempt failed after a mid hook began: nothing is restored until something is applied (H29). */
  attemptLost(key: ServiceKey): void
  /** Records that the attempt is done, or that the state before it is restored. */
  endAttempt(key: ServiceKey): void
  /** Returns the attempts of one site, or of all, by `site/application/service`. */
  attempts(environment: string, site?: string): ReadonlyMap<string, RecordedAttempt>
  /** Returns what has begun on all sites and neither ended nor failed, but for what is being taken away. */
  openAttempts(environment: string): readonly OpenAttempt[]
}

/** Whether what begins is what was interrupted. */
const goesOn = "phase = 'open' AND release = excluded.release"

/** Keeps attempts in a database. */
export function attemptsIn(database: Database): Attempts {
  /** Without `noReturn` its value stays unchanged. */
  const setPhase = (phase: Attempt['phase'], key: ServiceKey, noReturn?: 0 | 1) => {
    database.run(
      `UPDATE attempt SET phase = ?, no_return = coalesce(?, no_return) WHERE ${isOfService}`,
      phase,
      noReturn,
      ...valuesOf(key),
    )
  }
  return {
    beginAttempt: ({ target, release, of, job, atMs, ...key }) =>
      database.transaction(() => {
        database.run(
          `DELETE FROM trouble WHERE ${isOfService} AND NOT EXISTS (SELECT 1 FROM attempt
             WHERE attempt.environment = trouble.environment AND attempt.site = trouble.site
               AND attempt.application = trouble.application AND attempt.service = trouble.service
               AND attempt.phase = 'open' AND attempt.release = ?)`,
          ...valuesOf(key),
          release,
        )
        database.run(
          `INSERT INTO attempt
             (environment, site, application, service, target, release, phase, begun_at, commit_id, version,
               job, job_begun_at, job_over)
             VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET target = excluded.target, release = excluded.release, phase = 'open',
               commit_id = excluded.commit_id, version = excluded.version,
               job = excluded.job, job_begun_at = excluded.job_begun_at, job_over = excluded.job_over,
               is_job_unknown = CASE WHEN ${goesOn} THEN is_job_unknown ELSE 0 END,
               waited_ms = CASE WHEN ${goesOn} THEN waited_ms ELSE 0 END,
               waits_since = CASE WHEN ${goesOn} THEN waits_since END,
               begun_at = CASE WHEN ${goesOn} THEN begun_at ELSE excluded.begun_at END`,
          ...valuesOf(key),
          target,
          release,
          atMs,
          of?.commit,
          of?.version,
          ...columnsOf(job),
        )
        forgetService(database, ['quarantine'], key)
      }),
    attemptWaits: (key, sinceMs) =>
      database.run(
        `UPDATE attempt SET waits_since = coalesce(waits_since, ?) WHERE ${isOfService}`,
        sinceMs,
        ...valuesOf(key),
      ),
    attemptGoesOn: (key, atMs) =>
      database.run(
        `UPDATE attempt SET waited_ms = waited_ms + max(0, ? - coalesce(waits_since, ?)), waits_since = NULL
           WHERE ${isOfService}`,
        atMs,
        atMs,
        ...valuesOf(key),
      ),
    takeBackAttempt: (key, before) =>
      database.transaction(() => {
        forgetService(database, ['attempt'], key)
        if (before !== undefined) insertAttempt(database, key, before)
      }),
    beginJob: (key, job, noReturn) =>
      database.run(
        `UPDATE attempt SET job = ?, job_begun_at = ?, job_over = ?, is_job_unknown = 0,
           no_return = max(no_return, ?) WHERE ${isOfService}`,
        ...columnsOf(job),
        noReturn ? 1 : 0,
        ...valuesOf(key),
      ),
    endJob: key => database.run(`UPDATE attempt SET job_over = 1 WHERE ${isOfService}`, ...valuesOf(key)),
    attemptFailed: key => setPhase('failed', key),
    attemptLost: key => setPhase('failed', key, 1),
    endAttempt: key => setPhase('ended', key, 0),
    attempts: (environment, site) => {
      const rows = database.all(`SELECT * FROM attempt WHERE ${isOnSite(site)}`, environment, site)
      return new Map(rows.map(row => [nameOfService(row), attemptOf(row)]))
    },
    openAttempts: environment =>
      database
        .all(
          // SQLite would go through all attempts of the environment by their key.
          `SELECT * FROM attempt INDEXED BY attempt_open
             WHERE environment = ? AND phase = 'open' AND target <> 'absent'`,
          environment,
        )
        .map(row => ({ ...serviceOf(row), ...attemptOf(row) })),
  }
}

function insertAttempt(database: Database, key: ServiceKey, before: RecordedAttempt): void {
  const { target, release, phase, noReturn, begunAtMs, waitedMs = 0, waitsSinceMs, of, job } = before
  database.run(
    `INSERT INTO attempt
       (environment, site, application, service, target, release, phase, no_return, begun_at, commit_id, version,
         waited_ms, waits_since, job, job_begun_at, job_over, is_job_unknown)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...valuesOf(key),
    target,
    release,
    phase,
    noReturn === true ? 1 : 0,
    begunAtMs,
    of?.commit,
    of?.version,
    waitedMs,
    waitsSinceMs,
    ...columnsOf(job),
    before.isJobUnknown === true ? 1 : 0,
  )
}

function columnsOf(job: BegunJob | undefined) {
  return [job?.name, job?.begunAtMs, job?.isOver === true ? 1 : 0] as const
}

function attemptOf(row: Row): RecordedAttempt {
  const [commit, version] = [optionalText(row, 'commit_id'), optionalText(row, 'version')]
  const waitedMs = integer(row, 'waited_ms')
  const [job, jobBegunAtMs] = [optionalText(row, 'job'), optionalInteger(row, 'job_begun_at')]
  return {
    target: text(row, 'target'),
    release: text(row, 'release'),
    phase: word(row, 'phase', phases),
    ...(integer(row, 'no_return') === 1 ? { noReturn: true } : {}),
    ...(commit === undefined || version === undefined ? {} : { of: { commit, version } }),
    ...(job === undefined || jobBegunAtMs === undefined
      ? {}
      : { job: { name: job, begunAtMs: jobBegunAtMs, isOver: integer(row, 'job_over') === 1 } }),
    ...(integer(row, 'is_job_unknown') === 1 ? { isJobUnknown: true } : {}),
    ...optional('begunAtMs', optionalInteger(row, 'begun_at')),
    ...optional('waitedMs', waitedMs === 0 ? undefined : waitedMs),
    ...optional('waitsSinceMs', optionalInteger(row, 'waits_since')),
  }
}

const phases: readonly Attempt['phase'][] = ['open', 'failed', 'ended']
