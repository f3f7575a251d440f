import type { Attempt } from '../plan/comparison.ts'
import type { ServiceKey } from './applied.ts'
import type { Database, Row } from './database.ts'
import { integer, optional, optionalInteger, text, word } from './row.ts'

/** An attempt as it is on record: also since when it goes on, where that is known. */
export type RecordedAttempt = Attempt & { readonly begunAtMs?: number }

/** What each service is being brought to, or was brought to last, and whether that came to its end (D18). */
export type Attempts = {
  /**
   * From now on this is what a service is being brought to. One that goes on after an interruption began when it began
   * first. What was in quarantine is no longer: it is begun because somebody said so, or it is another release.
   */
  beginAttempt(entry: ServiceKey & Pick<Attempt, 'target' | 'release'> & { readonly atMs: number }): void
  /** It failed: what ran before is yet to be put back. */
  attemptFailed(key: ServiceKey): void
  /** It failed after a mid hook ran: nothing is put back until something is applied (H29). */
  attemptLost(key: ServiceKey): void
  /** It is done, or what ran before is put back. */
  endAttempt(key: ServiceKey): void
  /** By `site/application/service`. */
  attempts(environment: string): ReadonlyMap<string, RecordedAttempt>
}

export function attemptsIn(database: Database): Attempts {
  /** `noReturn` stays as it is where nothing is said. */
  const setPhase = (
    phase: Attempt['phase'],
    { environment, site, application, service }: ServiceKey,
    noReturn?: 0 | 1,
  ) => {
    database.run(
      `UPDATE attempt SET phase = ?, no_return = coalesce(?, no_return)
         WHERE environment = ? AND site = ? AND application = ? AND service = ?`,
      phase,
      noReturn,
      environment,
      site,
      application,
      service,
    )
  }
  return {
    beginAttempt: ({ environment, site, application, service, target, release, atMs }) =>
      database.transaction(() => {
        const key = [environment, site, application, service]
        database.run(
          `INSERT INTO attempt (environment, site, application, service, target, release, phase, begun_at)
             VALUES (?, ?, ?, ?, ?, ?, 'open', ?)
             ON CONFLICT DO UPDATE SET target = excluded.target, release = excluded.release, phase = 'open',
               begun_at = CASE WHEN phase = 'open' AND release = excluded.release THEN begun_at ELSE excluded.begun_at END`,
          ...key,
          target,
          release,
          atMs,
        )
        for (const table of ['quarantine', 'trouble'])
          database.run(
            `DELETE FROM ${table} WHERE environment = ? AND site = ? AND application = ? AND service = ?`,
            ...key,
          )
      }),
    attemptFailed: key => setPhase('failed', key),
    attemptLost: key => setPhase('failed', key, 1),
    endAttempt: key => setPhase('ended', key, 0),
    attempts: environment => {
      const rows = database.all('SELECT * FROM attempt WHERE environment = ?', environment)
      return new Map(rows.map(row => [keyOf(row), attemptOf(row)]))
    },
  }
}

function keyOf(row: Row): string {
  return `${text(row, 'site')}/${text(row, 'application')}/${text(row, 'service')}`
}

function attemptOf(row: Row): RecordedAttempt {
  return {
    target: text(row, 'target'),
    release: text(row, 'release'),
    phase: word(row, 'phase', phases),
    ...(integer(row, 'no_return') === 1 ? { noReturn: true } : {}),
    ...optional('begunAtMs', optionalInteger(row, 'begun_at')),
  }
}

const phases: readonly Attempt['phase'][] = ['open', 'failed', 'ended']
