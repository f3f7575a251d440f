import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/** Through which site of an environment each registry was reached last, by its host. Losing it costs only time. */
export type ReachedRegistries = {
  /** Returns the site; undefined: through none, or nobody knows. */
  reachedThrough(environment: string, host: string): string | undefined
  setReachedThrough(environment: string, host: string, site: string): void
}

/** Keeps them in a database. */
export function reachedRegistriesIn(
  database: Database,
  { readOnly }: { readonly readOnly: boolean },
): ReachedRegistries {
  return {
    reachedThrough: (environment, host) => {
      const row = database.get(
        'SELECT site FROM reached_registry WHERE environment = ? AND host = ?',
        environment,
        host,
      )
      return row && text(row, 'site')
    },
    setReachedThrough: (environment, host, site) => {
      if (readOnly) return
      database.run('INSERT OR REPLACE INTO reached_registry VALUES (?, ?, ?)', environment, host, site)
    },
  }
}
