import type { VersionEntry } from '../../state/fleet/queue.ts'
import type { Database } from '../store/database.ts'
import { integer, text } from '../store/row.ts'
import type { EnteringVersion, VersionEntries } from './entries.ts'
import { nextSeq } from './wanted-seq.ts'

/** A version that a commit wanted, and when, in the same order as those that have entered. */
export type AbsentVersion = Pick<VersionEntry, 'version' | 'atMs'> & { readonly wantedSeq: number }

/**
 * The versions that commits wanted while they could not be had: they were blocked, or no commit had brought them. No site
 * goes by way of them, and they count only against what was approved before (X18).
 */
export type AbsentVersions = {
  /** Notes that such a version is wanted from now on, unless it was wanted last. */
  wantAbsent(wanted: EnteringVersion): void
  /** Returns the last ones of an application, oldest first. */
  absentVersions(environment: string, application: string): readonly AbsentVersion[]
  /** Returns those that commits wanted last of their applications. */
  absentWanted(environment: string): ReadonlyMap<string, string>
}

/** How many are kept of an application. */
export const keptAbsent = 32

/** Keeps them in a database. */
export function absentVersionsIn(database: Database): AbsentVersions {
  const absentWanted = (environment: string) =>
    new Map(
      database
        .all(
          `SELECT application, version, max(wanted_seq) AS last FROM absent_version AS absent
             WHERE environment = ?1 GROUP BY application
             HAVING last > coalesce((SELECT max(wanted_seq) FROM release_entry AS entry
               WHERE entry.environment = ?1 AND entry.application = absent.application), 0)`,
          environment,
        )
        .map(row => [text(row, 'application'), text(row, 'version')]),
    )
  return {
    wantAbsent: ({ environment, application, version, atMs }) => {
      const own = [environment, application] as const
      database.transaction(() => {
        const last = database.get(
          `SELECT version FROM absent_version WHERE environment = ?1 AND application = ?2 AND wanted_seq >
               coalesce((SELECT max(wanted_seq) FROM release_entry WHERE environment = ?1 AND application = ?2), 0)
             ORDER BY wanted_seq DESC LIMIT 1`,
          ...own,
        )
        if (last !== undefined && text(last, 'version') === version) return
        database.run(
          `INSERT OR REPLACE INTO absent_version (environment, application, version, at, wanted_seq)
             VALUES (?, ?, ?, ?, ${nextSeq})`,
          ...own,
          version,
          atMs,
        )
        database.run(
          `DELETE FROM absent_version WHERE environment = ?1 AND application = ?2 AND wanted_seq <=
             (SELECT wanted_seq FROM absent_version WHERE environment = ?1 AND application = ?2
                ORDER BY wanted_seq DESC LIMIT 1 OFFSET ${keptAbsent})`,
          ...own,
        )
      })
    },
    absentVersions: (environment, application) =>
      database
        .all(
          `SELECT version, at, wanted_seq FROM absent_version WHERE environment = ? AND application = ?
             ORDER BY wanted_seq`,
          environment,
          application,
        )
        .map(row => ({
          version: text(row, 'version'),
          atMs: integer(row, 'at'),
          wantedSeq: integer(row, 'wanted_seq'),
        })),
    absentWanted,
  }
}

/**
 * Returns the versions that commits wanted last of their applications, whether they can be had or not. One that could not
 * is told only until one that can is wanted.
 */
export function wantedLast(
  journal: Pick<AbsentVersions, 'absentWanted'> & Pick<VersionEntries, 'versionsWanted'>,
  environment: string,
): ReadonlyMap<string, string> {
  return new Map([...journal.versionsWanted(environment), ...journal.absentWanted(environment)])
}
