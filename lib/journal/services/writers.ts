import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * Who wrote to a site. Each claim on an engine has a mark (`lib/writer`). A claim with a mark that this journal does not
 * know belongs to somebody with another journal, so this one does not know what was brought about since.
 */
export type Writers = {
  /** Records all marks that are on a site while the claim there is ours, in place of those that were known. */
  knowMarks(environment: string, site: string, marks: readonly string[]): void
  /** Records one more, of a claim that this process is about to try. Of very many, the oldest are forgotten. */
  knowMark(environment: string, site: string, mark: string): void
  /** Returns the marks that are known. */
  knownMarks(environment: string, site: string): readonly string[]
  /**
   * Puts aside what was brought about on a site and what is approved there, because somebody else wrote since. What
   * differs then counts as a change, and never as drift. History, words and quarantine stay.
   */
  putAside(environment: string, site: string): void
}

/** An engine on which no claim is ever won must not fill the journal. */
const mostMarks = 64

/** Keeps the marks in a database. */
export function writersIn(database: Database): Writers {
  const knownMarks: Writers['knownMarks'] = (environment, site) => {
    const row = database.get(
      'SELECT marks FROM last_writer WHERE environment = ? AND site = ?',
      environment,
      site,
    )
    return row === undefined ? [] : JSON.parse(text(row, 'marks'))
  }
  const knowMarks: Writers['knowMarks'] = (environment, site, marks) => {
    const row = [environment, site, JSON.stringify(marks)] as const
    database.run('INSERT OR REPLACE INTO last_writer VALUES (?, ?, ?)', ...row)
  }
  return {
    knownMarks,
    knowMarks,
    knowMark: (environment, site, mark) =>
      knowMarks(environment, site, [...knownMarks(environment, site), mark].slice(-mostMarks)),
    putAside: (environment, site) => putAside(database, environment, site),
  }
}

/** See `Writers.putAside`. */
export function putAside(
  database: Pick<Database, 'run' | 'transaction'>,
  environment: string,
  site: string,
): void {
  database.transaction(() => {
    for (const table of ['applied', 'attempt', 'trouble', 'deployed'])
      database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, site)
    database.run(
      'UPDATE approval_site SET remaining = 0 WHERE environment = ? AND site = ? AND remaining > 0',
      environment,
      site,
    )
  })
}
