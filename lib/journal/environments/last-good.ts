import type { Revision } from '../../state/repository/revision.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

export type LastGoodRevision = { readonly commit: string; readonly revision: Revision }

/** The last revision of an environment that could be read. It stays in force while a later one cannot be read. */
export type LastGood = {
  setLastGood(environment: string, good: LastGoodRevision): void
  lastGood(environment: string): LastGoodRevision | undefined
}

/** Keeps the last good revisions in a database. */
export function lastGoodIn(database: Database): LastGood {
  return {
    setLastGood: (environment, { commit, revision }) => {
      database.run(
        'INSERT OR REPLACE INTO last_good VALUES (?, ?, ?)',
        environment,
        commit,
        JSON.stringify(revision),
      )
    },
    lastGood: environment => {
      const row = database.get('SELECT * FROM last_good WHERE environment = ?', environment)
      if (row === undefined) return undefined
      return { commit: text(row, 'commit_id'), revision: JSON.parse(text(row, 'revision')) }
    },
  }
}
