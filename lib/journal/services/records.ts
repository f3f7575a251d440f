import { largestOf } from '../../numbers.ts'
import type { Database } from '../store/database.ts'
import { identityIn } from '../store/identity.ts'
import { integer } from '../store/row.ts'

/**
 * Counts how often something was made on a site. The count is on record before anything is made, and is written on what
 * is made. So if something has a higher count of this same journal, this is an earlier state of it: a backup that was
 * restored, or a copy.
 */
export type Records = {
  /** Counts once more, and returns what is to be written on what is made now. */
  countMade(environment: string, site: string): string
  /**
   * Returns the highest count among what is written there, if this journal has not counted as far; undefined otherwise.
   * What another journal counted, or this one for another site, says nothing. Writes nothing.
   */
  laterCount(environment: string, site: string, records: Iterable<string>): number | undefined
  /** Counts on from there. */
  countFrom(environment: string, site: string, count: number): void
}

/** Keeps the counts in a database. */
export function recordsIn(database: Database): Records {
  const { identity } = identityIn(database)
  const countOf = (environment: string, site: string) => {
    const row = database.get('SELECT times FROM made WHERE environment = ? AND site = ?', environment, site)
    return row === undefined ? 0 : integer(row, 'times')
  }
  const countFrom: Records['countFrom'] = (environment, site, count) => {
    database.run('INSERT OR REPLACE INTO made VALUES (?, ?, ?)', environment, site, count)
  }
  return {
    countFrom,
    countMade: (environment, site) =>
      database.transaction(() => {
        const count = countOf(environment, site) + 1
        countFrom(environment, site, count)
        return `${identity()} ${count} ${site}`
      }),
    laterCount: (environment, site, records) => {
      const all = [...records]
      if (all.length === 0) return undefined
      const id = identity()
      const latest = largestOf(all, record => countIn(record, id, site))
      return latest > countOf(environment, site) ? latest : undefined
    },
  }
}

/** Returns what a record counts; 0: it is none of this journal for this site. */
function countIn(record: string, id: string, site: string): number {
  const [, by, count, where] = /^(\S+) ([1-9]\d{0,14}) (.+)$/.exec(record) ?? []
  return by === id && where === site ? Number(count) : 0
}
