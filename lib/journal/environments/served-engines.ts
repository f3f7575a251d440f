import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/** As which site an engine is served, and by which endpoint that site was reached then; empty: the engine of this machine. */
export type ServedAs = { readonly site: string; readonly endpoint: string }

/** Which engine a site was, and the endpoint by which it was reached then. */
export type ServedEngine = { readonly engine: string; readonly endpoint: string }

/** An engine, and as which site it was served last. */
export type ServedSite = ServedAs & Pick<ServedEngine, 'engine'>

/**
 * As which site each engine of an environment was served last, by the engine's own identity. Of several sites that are one
 * engine, that one stays.
 */
export type ServedEngines = {
  /** Records that a site is served, and which engine it is: neither is another one's any more. */
  setServed(environment: string, engine: string, as: ServedAs): void
  /** Returns as which site an engine was served last. */
  servedAs(environment: string, engine: string): ServedAs | undefined
  /** Returns which engine was served as a site last, and by which endpoint. */
  engineServed(environment: string, site: string): ServedEngine | undefined
  /** Returns all engines that were served, sorted by site. */
  servedEngines(environment: string): readonly ServedSite[]
}

/** Keeps them in a database. */
export function servedEnginesIn(database: Database): ServedEngines {
  return {
    setServed: (environment, engine, { site, endpoint }) =>
      database.transaction(() => {
        database.run('DELETE FROM served_engine WHERE environment = ? AND site = ?', environment, site)
        database.run(
          'INSERT OR REPLACE INTO served_engine VALUES (?, ?, ?, ?)',
          environment,
          engine,
          site,
          endpoint,
        )
      }),
    servedAs: (environment, engine) => {
      const row = database.get(
        'SELECT site, endpoint FROM served_engine WHERE environment = ? AND engine = ?',
        environment,
        engine,
      )
      return row && { site: text(row, 'site'), endpoint: text(row, 'endpoint') }
    },
    engineServed: (environment, site) => {
      const row = database.get(
        'SELECT engine, endpoint FROM served_engine WHERE environment = ? AND site = ?',
        environment,
        site,
      )
      return row && { engine: text(row, 'engine'), endpoint: text(row, 'endpoint') }
    },
    servedEngines: environment =>
      database
        .all(
          'SELECT engine, site, endpoint FROM served_engine WHERE environment = ? ORDER BY site',
          environment,
        )
        .map(row => ({
          engine: text(row, 'engine'),
          site: text(row, 'site'),
          endpoint: text(row, 'endpoint'),
        })),
  }
}
