import { optional } from '../../object.ts'
import type { QueueEntry } from '../../state/fleet/queue-entry.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'

/** One application on one site of an environment. */
export type QueuePlace = {
  readonly environment: string
  readonly site: string
  readonly application: string
}

/** A version that reaches a site. */
export type Entering = QueuePlace &
  Pick<QueueEntry, 'version' | 'commit' | 'from'> & {
    /** A hash of what the version consists of. The same version with another one is another entry. */
    readonly content: string
    readonly atMs: number
  }

export type Queued = QueueEntry & { readonly content: string; readonly atMs: number }

/** What entered for one application on one site. */
export type ApplicationQueue = {
  /** What was taken last, which runs or is being installed; absent: nothing was taken yet. */
  readonly taken?: Queued
  /** In the order of entry. */
  readonly waiting: readonly Queued[]
}

/** How many versions of one application wait on one site at most. The oldest ones give way (G24). */
export const mostWaiting = 100

/** The versions of each application that reached a site and wait there (A65). */
export type Queues = {
  /**
   * Enters a version as the newest one. Does nothing if it is the newest one already, even if it was deleted since.
   * Returns how many of the oldest versions gave way.
   */
  enterQueue(entry: Entering): number
  /** Returns the queues of one site, by application. */
  queues(environment: string, site: string): ReadonlyMap<string, ApplicationQueue>
  /** Records that an entry is installed from now on. What entered before it leaves the queue. */
  takeFromQueue(place: QueuePlace, number: number): void
  /** Deletes what waits, of one version or of all. Returns how many entries there were (A66). */
  deleteFromQueue(place: QueuePlace, version?: string): number
  /** Has the newest entry that waits, of one version or of all, installed outside of the windows (A66). */
  forceInQueue(place: QueuePlace, version?: string): Queued | undefined
  /** Forgets an application that is no longer wanted on a site. */
  forgetQueue(place: QueuePlace): void
}

/** Keeps queues in a database. */
export function queuesIn(database: Database): Queues {
  return {
    enterQueue: entry => database.transaction(() => enter(database, entry)),
    queues: (environment, site) => {
      const rows = database.all(
        `SELECT * FROM queue_entry WHERE environment = ? AND site = ? AND state <> 'deleted'
           ORDER BY application, number`,
        environment,
        site,
      )
      const byApplication = Map.groupBy(rows, row => text(row, 'application'))
      return new Map([...byApplication].map(([application, own]) => [application, queueOf(own)]))
    },
    takeFromQueue: (place, number) =>
      database.transaction(() => {
        database.run(`DELETE FROM queue_entry WHERE ${isOfPlace} AND number < ?`, ...valuesOf(place), number)
        database.run(
          `UPDATE queue_entry SET state = 'taken' WHERE ${isOfPlace} AND number = ?`,
          ...valuesOf(place),
          number,
        )
      }),
    deleteFromQueue: (place, version) =>
      database.run(
        `UPDATE queue_entry SET state = 'deleted' WHERE ${isOfPlace} AND ${isWaiting}`,
        ...valuesOf(place),
        version,
      ),
    forceInQueue: (place, version) => {
      const row = database.get(
        `UPDATE queue_entry SET forced = 1 WHERE number =
           (SELECT max(number) FROM queue_entry WHERE ${isOfPlace} AND ${isWaiting}) RETURNING *`,
        ...valuesOf(place),
        version,
      )
      return row && queuedOf(row)
    },
    forgetQueue: place => {
      database.run(`DELETE FROM queue_entry WHERE ${isOfPlace}`, ...valuesOf(place))
    },
  }
}

const isOfPlace = 'environment = ?1 AND site = ?2 AND application = ?3'
const isWaiting = "state = 'waiting' AND (?4 IS NULL OR version = ?4)"

function valuesOf({ environment, site, application }: QueuePlace): readonly [string, string, string] {
  return [environment, site, application]
}

/** What was deleted is remembered as long as it is the newest one, so that it does not enter again by itself. */
function enter(database: Database, entry: Entering): number {
  const place = valuesOf(entry)
  const newest = database.get(
    `SELECT * FROM queue_entry WHERE ${isOfPlace} ORDER BY number DESC LIMIT 1`,
    ...place,
  )
  const isThere =
    newest !== undefined &&
    optionalText(newest, 'version') === entry.version &&
    text(newest, 'content') === entry.content
  if (isThere) return 0
  database.run(`DELETE FROM queue_entry WHERE ${isOfPlace} AND state = 'deleted'`, ...place)
  database.run(
    `INSERT INTO queue_entry (environment, site, application, version, commit_id, content, from_patterns, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...place,
    entry.version,
    entry.commit,
    entry.content,
    entry.from === undefined ? undefined : JSON.stringify(entry.from),
    entry.atMs,
  )
  return database.run(
    `DELETE FROM queue_entry WHERE ${isOfPlace} AND state = 'waiting' AND number <= (
       SELECT number FROM queue_entry WHERE ${isOfPlace} AND state = 'waiting'
         ORDER BY number DESC LIMIT 1 OFFSET ${mostWaiting})`,
    ...place,
  )
}

/** @param rows those of one application that are not deleted, in their order */
function queueOf(rows: readonly Row[]): ApplicationQueue {
  const taken = rows.find(row => text(row, 'state') === 'taken')
  return {
    ...optional('taken', taken && queuedOf(taken)),
    waiting: rows.filter(row => text(row, 'state') === 'waiting').map(queuedOf),
  }
}

function queuedOf(row: Row): Queued {
  const from = optionalText(row, 'from_patterns')
  return {
    number: integer(row, 'number'),
    ...optional('version', optionalText(row, 'version')),
    commit: text(row, 'commit_id'),
    ...(from === undefined ? {} : { from: JSON.parse(from) }),
    ...(integer(row, 'forced') === 1 ? { isForced: true } : {}),
    content: text(row, 'content'),
    atMs: integer(row, 'at'),
  }
}
