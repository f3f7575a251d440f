import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { Failure } from '../../errors.ts'
import { hasNoRoom, isFull } from '../../file/disk-full.ts'
import { type FileMark, fileMarkOf, whyGone } from '../../file/file-mark.ts'
import { makeDirectory } from '../../file/make-directory.ts'
import { secondsText } from '../../text/time.ts'

export type Value = string | number | undefined

export type Row = Readonly<Record<string, SQLOutputValue>>

/**
 * One SQLite file. All calls are synchronous, and fail with `journal-corrupt`, `journal-unusable`, `journal-busy` or
 * `disk-full`. A write also fails with `state-dir-gone` if the file is no longer in its place: nobody would find what is
 * written. Undefined is stored as NULL. Statements are compiled once, so their text must not contain values.
 */
export type Database = {
  /** The files that must be in their places. Empty: nothing is kept, or only read. */
  readonly files: readonly FileMark[]
  /** Returns the first row. */
  get(sql: string, ...values: readonly Value[]): Row | undefined
  all(sql: string, ...values: readonly Value[]): readonly Row[]
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number
  /** Does all of the work or none of it. Work inside of work belongs to the outer transaction. */
  transaction<T>(work: () => T): T
  close(): void
}

/** How long to wait for another process that writes. */
const busyMs = 5_000

/**
 * Opens a database and creates what is missing: the directory for its owner alone (0700), and the file likewise (0600).
 * `:memory:` and a `placeInMemory` keep nothing. What is committed survives the death of the process: it is in the
 * write-ahead log, which the next open reads. Only a crash of the whole machine may lose the last commits
 * (synchronous=NORMAL).
 */
export function openDatabase(file: string, { readOnly }: { readonly readOnly: boolean }): Database {
  return translated(file, () => {
    const own = isInMemory(file) || readOnly ? [] : [createPrivately(file)]
    const sqlite = new DatabaseSync(file, { readOnly, timeout: busyMs })
    try {
      if (!readOnly) {
        sqlite.exec(
          'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304',
        )
      }
      verify(file, sqlite, readOnly)
    } catch (error) {
      sqlite.close()
      throw error
    }
    return databaseOf(file, sqlite, [...own, ...own.flatMap(withLog)])
  })
}

/**
 * Returns a name for a database in memory that, unlike `:memory:`, a statement of another connection of this process
 * can write into. It is there from its first open to its last close.
 */
export function placeInMemory(): string {
  return `file:/${randomUUID()}${memorySuffix}`
}

const memorySuffix = '?vfs=memdb'

function isInMemory(file: string): boolean {
  return file === ':memory:' || file.endsWith(memorySuffix)
}

function createPrivately(file: string): FileMark {
  makeDirectory(dirname(file))
  const descriptor = openSync(file, 'a', 0o600)
  try {
    return fileMarkOf(file, descriptor)
  } finally {
    closeSync(descriptor)
    chmodSync(file, 0o600)
  }
}

/** SQLite keeps the write-ahead log, in which the last commits are, for as long as somebody has the database open. */
function withLog({ file }: FileMark): readonly FileMark[] {
  const log = `${file}-wal`
  return existsSync(log) ? [fileMarkOf(log)] : []
}

/** Checks the whole file before it is written to, and only its head if it is only read. */
function verify(file: string, sqlite: DatabaseSync, readOnly: boolean): void {
  const check = readOnly ? 'PRAGMA schema_version' : 'PRAGMA quick_check(1)'
  const verdict = sqlite.prepare(check).get()?.['quick_check']
  if (verdict !== undefined && verdict !== 'ok')
    throw new Failure('journal-corrupt', `${file}: ${String(verdict)}`)
}

/** Wraps a connection to the database in that file. It is closed with the result. */
export function databaseOf(file: string, sqlite: DatabaseSync, files: readonly FileMark[] = []): Database {
  const compiled = new Map<string, StatementSync>()
  const compile = (sql: string) => {
    const statement = compiled.get(sql) ?? sqlite.prepare(sql)
    compiled.set(sql, statement)
    return statement
  }
  const mustBeInPlace = () => {
    for (const mark of files) {
      const gone = whyGone(mark)
      if (gone !== undefined) throw gone
    }
  }
  const rollback = () => {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
  }
  return {
    files,
    get: (sql, ...values) => translated(file, () => compile(sql).get(...values.map(bound))),
    all: (sql, ...values) => translated(file, () => compile(sql).all(...values.map(bound))),
    run: (sql, ...values) => {
      if (!sqlite.isTransaction) mustBeInPlace()
      return translated(file, () => Number(compile(sql).run(...values.map(bound)).changes))
    },
    transaction: work => {
      if (sqlite.isTransaction) return work()
      mustBeInPlace()
      return translated(file, () => {
        compile('BEGIN IMMEDIATE').run()
        try {
          const result = work()
          compile('COMMIT').run()
          return result
        } catch (error) {
          rollback()
          throw error
        }
      })
    },
    close: () => sqlite.close(),
  }
}

function bound(value: Value): string | number | null {
  return value ?? null
}

function translated<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw failureOf(file, error)
  }
}

/** Translates errors of SQLite and the system. Any other error is a defect and is thrown unchanged. */
function failureOf(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const options = { cause: error }
  switch (reasonOf(error, file)) {
    case 'corrupt':
      return new Failure('journal-corrupt', `${file}: ${error.message}`, options)
    case 'full':
      return new Failure('disk-full', `${file}: ${error.message}`, options)
    case 'busy':
      return new Failure(
        'journal-busy',
        `${file}: another process has been writing for ${secondsText(busyMs)}`,
        options,
      )
    case 'unusable':
      return new Failure('journal-unusable', `${file}: ${error.message}`, options)
    case 'other':
      return error
  }
}

type Reason = 'corrupt' | 'full' | 'busy' | 'unusable' | 'other'

function reasonOf(error: Error, file: string): Reason {
  if ('errcode' in error && typeof error.errcode === 'number') {
    const code = error.errcode & 0xff
    // As it opens a file on a full disk, it says no more than that it could not.
    return code === ioError && isFull(dirname(file)) ? 'full' : (sqliteReasons[code] ?? 'other')
  }
  if ('syscall' in error && 'code' in error) return hasNoRoom(error) ? 'full' : 'unusable'
  return 'other'
}

const ioError = 10

/** SQLite's primary result codes. */
const sqliteReasons: Readonly<Record<number, Reason>> = {
  5: 'busy',
  6: 'busy',
  8: 'unusable',
  [ioError]: 'unusable',
  11: 'corrupt',
  13: 'full',
  14: 'unusable',
  26: 'corrupt',
}
