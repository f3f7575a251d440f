import { closeSync, lstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../make-directory.ts'

/** A lock that ends with its process, however that ends. */
export type Lock = { release(): void }

/**
 * Locks the file of a name in a directory that strangers cannot write to, and creates both if they are missing.
 * `unusable`: there is no such directory, and this user cannot create it. The kernel holds the lock through SQLite,
 * which is the only way to such locks in Node.js. A file that is left behind locks nothing.
 */
export function lockIn(directory: string, name: string): Lock | 'taken' | 'unusable' {
  try {
    makeDirectory(directory)
    if (!isGuarded(directory)) return 'unusable'
    const file = join(directory, `${name}.lock`)
    createPrivately(file)
    return lockFile(file)
  } catch {
    return 'unusable'
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

function lockFile(file: string): Lock | 'taken' {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return 'taken'
    throw error
  }
  return { release: () => database.close() }
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
