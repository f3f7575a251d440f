import type { Database } from '../store/database.ts'

/** What is on record of a site that has another name now. */
export type RenamedSites = {
  /**
   * Hands on to a site under its new name what failed there, and what people said of versions that wait there: it is the same
   * engine. What is on record under the new name already stays. History, and what was approved, keep the former name.
   */
  handOn(environment: string, from: string, to: string): void
}

const handedOn = ['quarantine', 'barred', 'trouble', 'queue_word'] as const

/** Hands on what is on record in a database. */
export function renamedSitesIn(database: Database): RenamedSites {
  return {
    handOn: (environment, from, to) =>
      database.transaction(() => {
        for (const table of handedOn) {
          database.run(
            `UPDATE OR IGNORE ${table} SET site = ? WHERE environment = ? AND site = ?`,
            to,
            environment,
            from,
          )
          database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, from)
        }
      }),
  }
}
