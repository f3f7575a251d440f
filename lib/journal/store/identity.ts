import type { Database } from './database.ts'
import { text } from './row.ts'

export type JournalIdentity = {
  /**
   * Returns the random id that this journal got when it was created. It distinguishes two daemons on one environment.
   */
  identity(): string
}

/** Reads the id of the journal from a database. */
export function identityIn(database: Database): JournalIdentity {
  return {
    identity: () => {
      const row = database.get('SELECT id FROM identity')
      return row === undefined ? '' : text(row, 'id')
    },
  }
}
