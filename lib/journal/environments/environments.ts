import type { Holder, Identity } from '../../state/identity.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * The names of environments. Everything else in the journal is kept under these names, so that two environments of one
 * name are never mixed up.
 */
export type Environments = {
  /** Names an environment from now on. Another environment with that name loses it. */
  setEnvironment(identity: Identity): void
  environments(): readonly Required<Holder>[]
}

/** Keeps the names of environments in a database. */
export function environmentsIn(database: Database): Environments {
  const environments = () =>
    database.all('SELECT * FROM environment ORDER BY name').map(row => ({
      environment: text(row, 'name'),
      source: text(row, 'source'),
      directory: text(row, 'directory'),
    }))
  return {
    environments,
    setEnvironment: ({ environment, source, directory }) => {
      const isKnown = environments().some(
        known =>
          known.environment === environment && known.source === source && known.directory === directory,
      )
      if (isKnown) return
      database.transaction(() => {
        database.run('DELETE FROM environment WHERE source = ? AND directory = ?', source, directory)
        database.run('INSERT OR REPLACE INTO environment VALUES (?, ?, ?)', environment, source, directory)
      })
    },
  }
}
