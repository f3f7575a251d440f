import type { Database } from './database.ts'
import { text } from './row.ts'

export type Identity = {
  /** The random id this journal was given when it was made: tells two daemons on one environment apart. */
  identity(): string
}

export function identityIn(database: Database): Identity {
  return {
    identity: () => {
      const row = database.get('SELECT id FROM identity')
      return row === undefined ? '' : text(row, 'id')
    },
  }
}
