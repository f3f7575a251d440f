import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * Which process wrote to a site last with this journal. Whoever else has the claim there keeps another journal, so this
 * one does not know what was brought about since.
 */
export type Writers = {
  /** Records the process that has the claim on a site, by the id in its claim. */
  setWriter(environment: string, site: string, process: string): void
  /** Returns the process that had the claim last; undefined: none is on record. */
  lastWriter(environment: string, site: string): string | undefined
  /**
   * Puts aside what was brought about on a site and what is approved there, because somebody else wrote since. What
   * differs then counts as a change, and never as drift. History, words and quarantine stay.
   */
  putAside(environment: string, site: string): void
}

/** Keeps the last writers in a database. */
export function writersIn(database: Database): Writers {
  const lastWriter = (environment: string, site: string) => {
    const row = database.get(
      'SELECT process FROM last_writer WHERE environment = ? AND site = ?',
      environment,
      site,
    )
    return row && text(row, 'process')
  }
  return {
    lastWriter,
    setWriter: (environment, site, process) => {
      if (lastWriter(environment, site) === process) return
      database.run('INSERT OR REPLACE INTO last_writer VALUES (?, ?, ?)', environment, site, process)
    },
    putAside: (environment, site) =>
      database.transaction(() => {
        for (const table of ['applied', 'attempt', 'trouble', 'deployed'])
          database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, site)
        database.run(
          'UPDATE approval_site SET remaining = 0 WHERE environment = ? AND site = ? AND remaining > 0',
          environment,
          site,
        )
      }),
  }
}
