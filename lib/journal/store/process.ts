import type { Database } from './database.ts'
import { integer } from './row.ts'

/**
 * The writer of passes: one opened journal in one process. A pass without an end belongs to a running process, or was
 * interrupted. If its process id is our own, it belonged to an earlier process (in a container the id is always the
 * same).
 */
export type JournalProcess = { readonly id: string; readonly pid: number }

/** Whether the pass of that writer may still be running. */
export function mayBeRunning(ours: JournalProcess, theirs: JournalProcess): boolean {
  if (theirs.id === ours.id) return true
  return theirs.pid !== ours.pid && isAlive(theirs.pid)
}

/** Records as interrupted what earlier processes left without an end. */
export function interruptAbandoned(database: Database, ours: JournalProcess): void {
  database.transaction(() => {
    for (const row of database.all('SELECT DISTINCT pid FROM pass WHERE outcome IS NULL')) {
      const pid = integer(row, 'pid')
      if (pid !== ours.pid && isAlive(pid)) continue
      database.run("UPDATE pass SET outcome = 'interrupted' WHERE outcome IS NULL AND pid = ?", pid)
    }
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
