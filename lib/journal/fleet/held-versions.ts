import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/**
 * Somebody's order to run a kept version of an application, whatever newer commits want, until somebody resumes it. It
 * is not a suspension: the application is looked after, as that version wants it.
 */
export type HeldVersion = {
  readonly environment: string
  readonly application: string
  readonly version: string
  readonly commit: string
  readonly reason: string
  readonly who: string
  readonly atMs: number
}

export type HeldVersions = {
  /** Holds an application at a version from now on, in place of an earlier one. */
  holdVersion(held: HeldVersion): void
  /** Returns the held versions of an environment, by application. */
  heldVersions(environment: string): readonly HeldVersion[]
  /** Lets an application follow the commits again. Returns what it was held at; undefined if it was not. */
  endHeldVersion(environment: string, application: string): HeldVersion | undefined
}

/** Keeps held versions in a database. */
export function heldVersionsIn(database: Database): HeldVersions {
  return {
    holdVersion: ({ environment, application, version, commit, reason, who, atMs }) => {
      database.run(
        'INSERT OR REPLACE INTO held_version VALUES (?, ?, ?, ?, ?, ?, ?)',
        environment,
        application,
        version,
        commit,
        beginningOf(reason),
        who,
        atMs,
      )
    },
    heldVersions: environment =>
      database
        .all('SELECT * FROM held_version WHERE environment = ? ORDER BY application', environment)
        .map(heldVersionOf),
    endHeldVersion: (environment, application) => {
      const row = database.get(
        'DELETE FROM held_version WHERE environment = ? AND application = ? RETURNING *',
        environment,
        application,
      )
      return row && heldVersionOf(row)
    },
  }
}

function heldVersionOf(row: Row): HeldVersion {
  return {
    environment: text(row, 'environment'),
    application: text(row, 'application'),
    version: text(row, 'version'),
    commit: text(row, 'commit_id'),
    reason: text(row, 'reason'),
    who: text(row, 'who'),
    atMs: integer(row, 'at'),
  }
}
