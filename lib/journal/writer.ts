import type { Database } from './database.ts'
import { integer } from './row.ts'

/**
 * Who writes passes: one opened journal in one process. A pass without an end belongs to a process that runs, or it
 * was interrupted; a process id that is our own belonged to an earlier process (in a container it is always the same).
 */
export type Writer = { readonly id: string; readonly pid: number }

/** Whether the pass of that writer can still be going on. */
export function mayBeRunning(ours: Writer, theirs: Writer): boolean {
  if (theirs.id === ours.id) return true
  return theirs.pid !== ours.pid && isAlive(theirs.pid)
}

/** Ends what earlier processes left without an end. */
export function interruptAbandoned(database: Database, ours: Writer): void {
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
