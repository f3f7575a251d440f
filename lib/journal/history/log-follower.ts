import type { Database } from '../store/database.ts'
import { type JournalProcess, mayBeRunning } from '../store/process.ts'
import { integer, text } from '../store/row.ts'
import { historyIn, type LogEntry, type LogQuery } from './history.ts'

/** The log from one moment on. */
export type LogFollower = {
  /** What the log says at that moment, newest first. */
  readonly begun: readonly LogEntry[]
  /** Returns what has ended since then, or since it was called last, in the order of the ends. */
  ended(): readonly LogEntry[]
}

export type FollowedHistory = {
  /** Reads the log, and then what ends. */
  followLog(query: LogQuery): LogFollower
}

/** Follows the history in a database. */
export function followedHistoryIn(database: Database, writer: JournalProcess): FollowedHistory {
  const { log } = historyIn(database, writer)
  return { followLog: query => followedLog(database, writer, log, query) }
}

/**
 * Follows the log by what ends: numbers are given when passes begin, and a pass may end long after later ones (G25).
 * - `running` are the passes that had not ended at the last look.
 * - `last` is the greatest number that had been given then.
 * - What ended between the two readings of the beginning is in `begun`, and is not told again.
 */
function followedLog(
  database: Database,
  writer: JournalProcess,
  log: (query: LogQuery) => readonly LogEntry[],
  query: LogQuery,
): LogFollower {
  let last = lastPass(database)
  let running = runningOf(database, writer, 'true')
  const begun = log(query)
  const told = new Set(begun.filter(({ outcome }) => outcome !== 'running').map(({ passId }) => passId))
  const only = (passId: number) =>
    log({ ...query, afterPassId: passId - 1, beforePassId: passId + 1, limit: 1 })
  return {
    begun,
    ended: () => {
      const before = last
      last = lastPass(database)
      const open = [...new Set([...running, ...passesBetween(database, before, last)])]
      running = runningOf(database, writer, 'id IN (SELECT value FROM json_each(?))', JSON.stringify(open))
      const still = new Set(running)
      return open
        .filter(passId => !still.has(passId) && !told.has(passId))
        .flatMap(only)
        .toSorted((one, other) => endOf(one) - endOf(other) || one.passId - other.passId)
    },
  }
}

function lastPass(database: Database): number {
  const row = database.get('SELECT max(id) AS last FROM pass HAVING count(*) > 0')
  return row === undefined ? 0 : integer(row, 'last')
}

function passesBetween(database: Database, after: number, last: number): readonly number[] {
  const rows = database.all('SELECT id FROM pass WHERE id > ? AND id <= ? ORDER BY id', after, last)
  return rows.map(row => integer(row, 'id'))
}

function runningOf(
  database: Database,
  writer: JournalProcess,
  which: string,
  ...values: readonly string[]
): readonly number[] {
  return database
    .all(`SELECT id, writer, pid FROM pass WHERE outcome IS NULL AND ${which}`, ...values)
    .filter(row => mayBeRunning(writer, { id: text(row, 'writer'), pid: integer(row, 'pid') }))
    .map(row => integer(row, 'id'))
}

/** A pass whose process died has no end: the last that was seen of it counts. */
function endOf({ endedAtMs, lastSeenAtMs }: LogEntry): number {
  return endedAtMs ?? lastSeenAtMs
}
