import type { Revision } from '../../state/repository/revision.ts'
import type { Database } from '../store/database.ts'
import { optionalText, text } from '../store/row.ts'

export type LastGoodRevision = {
  readonly commit: string
  readonly revision: Revision
  /** The applications that it names; absent: an earlier Tallyman did not note them. */
  readonly applications?: readonly string[]
}

/** The last revision of an environment that could be read. It stays in force while a later one cannot be read. */
export type LastGood = {
  setLastGood(environment: string, good: LastGoodRevision): void
  lastGood(environment: string): LastGoodRevision | undefined
}

/** Keeps the last good revisions in a database. */
export function lastGoodIn(database: Database): LastGood {
  return {
    setLastGood: (environment, { commit, revision, applications }) => {
      database.run(
        'INSERT OR REPLACE INTO last_good (environment, commit_id, revision, applications) VALUES (?, ?, ?, ?)',
        environment,
        commit,
        JSON.stringify(revision),
        applications && JSON.stringify(applications),
      )
    },
    lastGood: environment => {
      const row = database.get('SELECT * FROM last_good WHERE environment = ?', environment)
      if (row === undefined) return undefined
      const applications = optionalText(row, 'applications')
      return {
        commit: text(row, 'commit_id'),
        revision: JSON.parse(text(row, 'revision')),
        ...(applications === undefined ? {} : { applications: JSON.parse(applications) }),
      }
    },
  }
}
