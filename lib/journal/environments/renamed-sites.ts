import { putAside } from '../services/writers.ts'
import type { Database } from '../store/database.ts'

/** An engine that is another site now, and the endpoint by which it is reached. */
export type Renaming = {
  readonly engine: string
  readonly endpoint: string
  readonly from: string
  readonly to: string
}

/** What is on record of sites that have other names now. */
export type RenamedSites = {
  /**
   * Hands on to sites under their new names what failed there, and what people said of versions that wait there: each is
   * the same engine. Names may be exchanged. What is on record under a new name already stays, unless that was about
   * another engine. History, and what was approved, keep the former name; all else that is known of it is put aside.
   */
  renameSites(environment: string, renamings: readonly Renaming[]): void
}

const handedOn = ['quarantine', 'barred', 'trouble', 'queue_word'] as const

/** Hands on what is on record in a database. */
export function renamedSitesIn(database: Database): RenamedSites {
  const move = (environment: string, from: string, to: string) => {
    for (const table of handedOn) {
      database.run(
        `UPDATE OR IGNORE ${table} SET site = ? WHERE environment = ? AND site = ?`,
        to,
        environment,
        from,
      )
      database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, from)
    }
  }
  return {
    renameSites: (environment, renamings) =>
      database.transaction(() => {
        for (const { from, to } of renamings) move(environment, from, onTheWayTo(to))
        for (const name of new Set(renamings.flatMap(({ from, to }) => [from, to]))) {
          const gone = database.run(
            'DELETE FROM served_engine WHERE environment = ? AND site = ?',
            environment,
            name,
          )
          if (gone === 0) continue
          putAside(database, environment, name)
          for (const table of handedOn)
            database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, name)
        }
        for (const { engine, endpoint, to } of renamings) {
          move(environment, onTheWayTo(to), to)
          database.run(
            'INSERT OR REPLACE INTO served_engine VALUES (?, ?, ?, ?)',
            environment,
            engine,
            to,
            endpoint,
          )
        }
      }),
  }
}

/** No site is called so. */
function onTheWayTo(name: string): string {
  return `\n${name}`
}
