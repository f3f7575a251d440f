import type { VersionEntry } from '../../state/fleet/queue.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text } from '../store/row.ts'
import { nextSeq } from './wanted-seq.ts'

/** The versions of an application in the order in which commits brought them (A65). */
export type VersionEntries = {
  /** Returns the last entries of an application, oldest first. */
  versionEntries(environment: string, application: string): readonly VersionEntry[]
  /** Returns the version that a commit wanted last of each application: what its deployment named counts first (A12). */
  versionsWanted(environment: string): ReadonlyMap<string, string>
  /**
   * Enters a version that is wanted from now on, unless it was wanted last. One that entered since then, and that nobody
   * has wanted yet, keeps its place, and so does one after which only versions were wanted that could not be had.
   */
  wantVersion(wanted: EnteringVersion): void
  /**
   * Notes that somebody goes back to a version without a commit: those that entered after it are left. What was left
   * before stays so.
   */
  leaveVersions(back: LeavingVersions): void
  /** Returns the versions that entered last of their applications, where these are left. */
  leftVersions(environment: string): ReadonlyMap<string, string>
  /**
   * Ends that: the version that entered last is wanted again, and so is what was left together with it. All else stays
   * left.
   */
  endLeaving(of: OneApplication): void
}

type OneApplication = { readonly environment: string; readonly application: string }

/** `version`: where to. `from`: at which version it was held until now; absent: at none. `atMs`: when. */
export type LeavingVersions = OneApplication & {
  readonly version: string
  readonly from?: string
  readonly atMs: number
}

/**
 * In place of the time: left by itself, and not together with what entered after it. Whoever held a version and went
 * back from it does not mean that one by resuming the newest.
 */
const leftForGood = 0

/** How many entries of an application are kept, besides that of the version that is wanted. */
export const keptEntries = 32

/** Reads entries in a database. `keepVersion` adds them. */
export function entriesIn(database: Database): VersionEntries {
  return {
    versionEntries: (environment, application) =>
      database
        .all(
          `SELECT entry.id, entry.version, entry.at, entry.wanted_seq, entry.left_at,
               kept.commit_id, kept.mark, kept.paths
             FROM release_entry AS entry
             LEFT JOIN kept_release AS kept USING (environment, application, version)
             WHERE entry.environment = ? AND entry.application = ? ORDER BY entry.id`,
          environment,
          application,
        )
        .map(entryOf),
    versionsWanted: environment =>
      new Map(
        database
          .all(
            `SELECT application, version FROM release_entry WHERE wanted_seq IN
               (SELECT max(wanted_seq) FROM release_entry WHERE environment = ? GROUP BY application)`,
            environment,
          )
          .map(row => [text(row, 'application'), text(row, 'version')]),
      ),
    wantVersion: wanted => database.transaction(() => wantVersion(database, wanted)),
    leaveVersions: ({ environment, application, version, from, atMs }) => {
      const of = 'environment = ?1 AND application = ?2'
      const isAfter = `${of} AND id > (SELECT max(id) FROM release_entry WHERE ${of} AND version = ?3)`
      const own = [environment, application, version] as const
      database.transaction(() => {
        database.run(
          `UPDATE release_entry SET left_at = max(?4, 1 + coalesce((SELECT max(left_at) FROM release_entry WHERE ${of}), 0))
             WHERE ${isAfter} AND left_at IS NULL`,
          ...own,
          atMs,
        )
        database.run(
          `UPDATE release_entry SET left_at = ${leftForGood}
             WHERE ${isAfter} AND version = ?4 AND id < (SELECT max(id) FROM release_entry WHERE ${of})`,
          ...own,
          from,
        )
      })
    },
    leftVersions: environment =>
      new Map(
        database
          .all(
            `SELECT application, version FROM release_entry WHERE left_at IS NOT NULL AND id IN
               (SELECT max(id) FROM release_entry WHERE environment = ? GROUP BY application)`,
            environment,
          )
          .map(row => [text(row, 'application'), text(row, 'version')]),
      ),
    endLeaving: ({ environment, application }) => {
      const of = 'environment = ?1 AND application = ?2'
      database.run(
        `UPDATE release_entry SET left_at = NULL WHERE ${of} AND left_at =
           (SELECT left_at FROM release_entry WHERE ${of} ORDER BY id DESC LIMIT 1)`,
        environment,
        application,
      )
    },
  }
}

/**
 * Notes that the version that is wanted now has another content than before: as with another version, what was said of it
 * came before that. Nothing if it is not that one.
 */
export function wantContent(
  database: Database,
  { environment, application, version }: Omit<EnteringVersion, 'atMs'>,
): void {
  database.run(
    `UPDATE release_entry SET wanted_seq = ${nextSeq} WHERE version = ?3 AND id =
       (SELECT id FROM release_entry WHERE environment = ?1 AND application = ?2 AND wanted_seq IS NOT NULL
          ORDER BY wanted_seq DESC LIMIT 1)`,
    environment,
    application,
    version,
  )
}

/** Adds an entry if the last one is of another version. */
export function enterVersion(
  database: Database,
  entering: EnteringVersion,
  as: { readonly isWanted: boolean },
): void {
  const { environment, application, version } = entering
  const last = database.get(
    'SELECT version FROM release_entry WHERE environment = ? AND application = ? ORDER BY id DESC LIMIT 1',
    environment,
    application,
  )
  if (last === undefined || text(last, 'version') !== version) addEntry(database, entering, as)
}

function wantVersion(database: Database, wanted: EnteringVersion): void {
  const { environment, application, version, atMs } = wanted
  const of = 'environment = ?1 AND application = ?2'
  const own = [environment, application] as const
  const last = database.get(
    `SELECT id, version FROM release_entry WHERE ${of} AND wanted_seq IS NOT NULL ORDER BY wanted_seq DESC LIMIT 1`,
    ...own,
  )
  if (last !== undefined && text(last, 'version') === version) {
    database.run(
      `UPDATE release_entry SET wanted_seq = ${nextSeq} WHERE id = ?3 AND wanted_seq <
         (SELECT max(wanted_seq) FROM absent_version WHERE environment = ?1 AND application = ?2)`,
      ...own,
      integer(last, 'id'),
    )
    return
  }
  const since = database.get(
    `SELECT max(id) AS id FROM release_entry WHERE ${of} AND version = ?3 AND id > ?4`,
    ...own,
    version,
    last === undefined ? 0 : integer(last, 'id'),
  )
  const there = since && optionalInteger(since, 'id')
  if (there === undefined) addEntry(database, wanted, { isWanted: true })
  else
    database.run(
      `UPDATE release_entry SET wanted_seq = ${nextSeq}, at = ?, left_at = NULL WHERE id = ?`,
      atMs,
      there,
    )
}

function addEntry(
  database: Database,
  { environment, application, version, atMs }: EnteringVersion,
  { isWanted }: { readonly isWanted: boolean },
): void {
  database.run(
    `INSERT INTO release_entry (environment, application, version, at, wanted_seq)
       VALUES (?, ?, ?, ?, ${isWanted ? nextSeq : 'NULL'})`,
    ...[environment, application, version, atMs],
  )
  database.run(
    `DELETE FROM release_entry WHERE environment = ?1 AND application = ?2
       AND id <= (SELECT id FROM release_entry WHERE environment = ?1 AND application = ?2
         ORDER BY id DESC LIMIT 1 OFFSET ${keptEntries})
       AND wanted_seq IS NOT (SELECT coalesce(max(wanted_seq), 0) FROM release_entry
         WHERE environment = ?1 AND application = ?2)`,
    ...[environment, application],
  )
}

/** A version that a commit brings. */
export type EnteringVersion = Pick<VersionEntry, 'version' | 'atMs'> & {
  readonly environment: string
  readonly application: string
}

function entryOf(row: Row): VersionEntry {
  const [commit, mark] = [optionalText(row, 'commit_id'), optionalText(row, 'mark')]
  const [paths, wantedSeq] = [optionalText(row, 'paths'), optionalInteger(row, 'wanted_seq')]
  const isKept = commit !== undefined && mark !== undefined && paths !== undefined
  return {
    number: integer(row, 'id'),
    version: text(row, 'version'),
    atMs: integer(row, 'at'),
    ...(wantedSeq === undefined ? { isUnwanted: true } : { wantedSeq }),
    ...(optionalInteger(row, 'left_at') === undefined ? {} : { isLeft: true }),
    ...(isKept ? { kept: { commit, mark, paths: JSON.parse(paths) } } : {}),
  }
}
