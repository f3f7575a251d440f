import { closeSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../file/make-directory.ts'

/** A lock that ends with its process, however that ends. */
export type Lock = { release(): void }

/** The locks of one process on the files of a directory. */
export type Locks = {
  /**
   * Locks the file of a name, and creates it and the directory if they are missing. `unusable`: strangers can write to
   * the directory, or there is none and this user cannot create it. A file that is left behind locks nothing.
   */
  take(name: string): Lock | 'taken' | 'unusable'
}

/** One connection to SQLite, and the locks that it holds. */
type Holder = { readonly sqlite: DatabaseSync; locks: number }

/** SQLite attaches no more files to one connection. */
const locksEach = 10

/**
 * Creates the locks of a directory. The kernel holds them through SQLite, which is the only way to such locks in
 * Node.js. A connection takes 60 kB of memory, and a process with many sites may need a lock for each of them, so ten
 * locks share a connection.
 */
export function createLocks(directory: string): Locks {
  /** A connection that nobody keeps would be closed, and its locks would be free. */
  const holders = new Set<Holder>()
  /** Those that can hold one more. */
  const withRoom = new Set<Holder>()
  let taken = 0
  const settle = (holder: Holder) => {
    if (holder.locks < locksEach) withRoom.add(holder)
    else withRoom.delete(holder)
    if (holder.locks > 0) return
    withRoom.delete(holder)
    holders.delete(holder)
    holder.sqlite.close()
  }
  const lockFile = (file: string): Lock | 'taken' => {
    const [known] = withRoom
    const holder = known ?? { sqlite: new DatabaseSync(':memory:', { timeout: 0 }), locks: 0 }
    taken += 1
    const name = `lock${taken}`
    try {
      attachLocked(holder.sqlite, file, name)
    } catch (error) {
      settle(holder)
      if (isBusy(error)) return 'taken'
      throw error
    }
    holder.locks += 1
    holders.add(holder)
    settle(holder)
    return {
      release() {
        holder.sqlite.exec(`DETACH ${name}`)
        holder.locks -= 1
        settle(holder)
      },
    }
  }
  return {
    take(name) {
      try {
        makeDirectory(directory)
        if (!isGuarded(directory)) return 'unusable'
        const file = join(directory, `${name}.lock`)
        createPrivately(file)
        return lockFile(file)
      } catch {
        return 'unusable'
      }
    },
  }
}

/**
 * Attaches a file under a name, and locks it until it is detached. Nothing is ever written to it or beside it: the
 * transaction ends without that, and the connection keeps what it locked.
 */
function attachLocked(sqlite: DatabaseSync, file: string, name: string): void {
  sqlite.prepare(`ATTACH ? AS ${name}`).run(file)
  try {
    // Otherwise SQLite sets aside room for twenty pages. It reads at most one, and the smallest are large enough.
    const settings = [
      'cache_size = 1',
      'page_size = 512',
      'journal_mode = MEMORY',
      'locking_mode = EXCLUSIVE',
    ]
    sqlite.exec(settings.map(setting => `PRAGMA ${name}.${setting}`).join(';'))
    sqlite.exec('BEGIN EXCLUSIVE; ROLLBACK')
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
    sqlite.exec(`DETACH ${name}`)
    throw error
  }
}

/**
 * A user who may read the file could keep others from the lock, so it is private. An existing file is not opened here,
 * because closing it would release a lock that this process has on it.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Whether only root and this user can change what is in the directory. */
function isGuarded(directory: string): boolean {
  const { uid, mode } = lstatSync(directory)
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o002) === 0
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
