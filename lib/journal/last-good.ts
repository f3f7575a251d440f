import type { Revision } from '../state/revision.ts'
import type { Database } from './database.ts'
import { text } from './row.ts'

export type LastGoodRevision = { readonly commit: string; readonly revision: Revision }

/** The revision of an environment that was last understood: what goes on being kept while a later one is not. */
export type LastGood = {
  setLastGood(environment: string, good: LastGoodRevision): void
  lastGood(environment: string): LastGoodRevision | undefined
}

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
