import type { VersionEntry } from '../../state/fleet/queue.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'

/** The versions of an application in the order in which commits brought them (A65). */
export type VersionEntries = {
  /** Returns the last entries of an application, oldest first. */
  versionEntries(environment: string, application: string): readonly VersionEntry[]
}

/** How many entries of an application are kept. */
export const keptEntries = 32

/** Reads entries in a database. `keepRelease` adds them. */
export function entriesIn(database: Database): VersionEntries {
  return {
    versionEntries: (environment, application) =>
      database
        .all(
          `SELECT entry.id, entry.version, entry.at, kept.commit_id, kept.paths FROM release_entry AS entry
             LEFT JOIN kept_release AS kept USING (environment, application, version)
             WHERE entry.environment = ? AND entry.application = ? ORDER BY entry.id`,
          environment,
          application,
        )
        .map(entryOf),
  }
}

/** Adds an entry if the last one is of another version. */
export function enterVersion(
  database: Database,
  { environment, application, version, atMs }: EnteringVersion,
): void {
  const of = [environment, application] as const
  const last = database.get(
    'SELECT version FROM release_entry WHERE environment = ? AND application = ? ORDER BY id DESC LIMIT 1',
    ...of,
  )
  if (last !== undefined && text(last, 'version') === version) return
  database.run(
    'INSERT INTO release_entry (environment, application, version, at) VALUES (?, ?, ?, ?)',
    ...of,
    version,
    atMs,
  )
  database.run(
    `DELETE FROM release_entry WHERE environment = ?1 AND application = ?2 AND id <= (
       SELECT id FROM release_entry WHERE environment = ?1 AND application = ?2
         ORDER BY id DESC LIMIT 1 OFFSET ${keptEntries})`,
    ...of,
  )
}

/** A version that a commit brings. */
type EnteringVersion = Pick<VersionEntry, 'version' | 'atMs'> & {
  readonly environment: string
  readonly application: string
}

function entryOf(row: Row): VersionEntry {
  const [commit, paths] = [optionalText(row, 'commit_id'), optionalText(row, 'paths')]
  return {
    number: integer(row, 'id'),
    version: text(row, 'version'),
    atMs: integer(row, 'at'),
    ...(commit === undefined || paths === undefined ? {} : { kept: { commit, paths: JSON.parse(paths) } }),
  }
}
