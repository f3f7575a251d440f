import type { Holder, Identity } from '../state/identity.ts'
import type { Database } from './database.ts'
import { text } from './row.ts'

/**
 * What environments are called. Everything else in the journal is kept under that name, so that two environments of
 * one name are never mixed up.
 */
export type Environments = {
  /** From now on the environment is called so; another one that was called so before has the name no longer. */
  setEnvironment(identity: Identity): void
  environments(): readonly Required<Holder>[]
}

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
