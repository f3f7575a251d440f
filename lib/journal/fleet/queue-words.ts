import type { QueueWord } from '../../state/fleet/queue.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text, word } from '../store/row.ts'

/** What people said about versions that wait on sites (A66). Everything else about a queue follows from the commits. */
export type QueueWords = {
  /** Records a word. It replaces an earlier one about the same version. */
  sayOfQueue(said: QueueWord): void
  /** Returns what was said about the versions on a site. */
  queueWords(environment: string, site: string): readonly QueueWord[]
  /**
   * Ends that a version is forced: it is installed or failed, is not what it was, or nobody wants it any more. `version`
   * absent: all of the application; `site`: on all sites; `entry`: whatever was said, and not only up to this entry.
   */
  endForced(about: ForcedVersions): void
}

export type ForcedVersions = Pick<QueueWord, 'environment' | 'application'> &
  Partial<Pick<QueueWord, 'version' | 'site' | 'entry'>>

/** The most words that are kept about one application on one site. The oldest give way (G24). */
const most = 32

/** Keeps these words in a database. */
export function queueWordsIn(database: Database): QueueWords {
  return {
    sayOfQueue: said =>
      database.transaction(() => {
        const { environment, site, application, version, entry, word, who, atMs } = said
        database.run(
          'INSERT OR REPLACE INTO queue_word VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          ...[environment, site, application, version],
          ...[entry, word, who, atMs],
        )
        database.run(
          `DELETE FROM queue_word WHERE environment = ?1 AND site = ?2 AND application = ?3 AND version IN
             (SELECT version FROM queue_word WHERE environment = ?1 AND site = ?2 AND application = ?3
                ORDER BY entry DESC, at DESC LIMIT -1 OFFSET ${most})`,
          ...[environment, site, application],
        )
      }),
    queueWords: (environment, site) =>
      database
        .all('SELECT * FROM queue_word WHERE environment = ? AND site = ?', environment, site)
        .map(wordOf),
    endForced: ({ environment, site, application, version, entry }) => {
      // Those of one site are found by its name, without a look at those of all.
      database.run(
        `DELETE FROM queue_word WHERE word = 'forced' AND environment = ?1 AND application = ?2
           AND (?3 IS NULL OR version = ?3) AND (?4 IS NULL OR entry <= ?4)${site === undefined ? '' : ' AND site = ?5'}`,
        ...[environment, application, version, entry],
        ...(site === undefined ? [] : [site]),
      )
    },
  }
}

const words: readonly QueueWord['word'][] = ['forced', 'deleted']

function wordOf(row: Row): QueueWord {
  return {
    environment: text(row, 'environment'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    version: text(row, 'version'),
    entry: integer(row, 'entry'),
    word: word(row, 'word', words),
    who: text(row, 'who'),
    atMs: integer(row, 'at'),
  }
}
