import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type Journal, type JournalOptions, journalIn } from '../../../lib/journal/journal.ts'
import { type Database, databaseOf } from '../../../lib/journal/store/database.ts'
import { migrate } from '../../../lib/journal/store/migrate.ts'
import { migrations } from '../../../lib/journal/store/migrations.ts'

const file = ':memory:'

/**
 * Opens an empty journal that nothing is kept of, with an id of its own. Its tables are a copy of those that the
 * migrations made once, because making them takes most of the time of a short test.
 */
export function memoryJournal(options: JournalOptions = {}): Journal {
  return journalIn(memoryDatabase(), options)
}

/** The database of such a journal, which one process after the other may open. What is drawn follows from its id. */
export function memoryDatabase(id: string = randomUUID()): Database {
  const sqlite = new DatabaseSync(file)
  sqlite.deserialize(empty())
  const database = databaseOf(file, sqlite)
  database.run('UPDATE identity SET id = ?', id)
  return database
}

/**
 * Opens the journal that a version with so many migrations left, in which it wrote this: as the first start of the
 * version of now finds it.
 */
export function earlierJournal(
  version: number,
  write: (sqlite: DatabaseSync) => unknown,
  options: JournalOptions = {},
): Journal {
  const sqlite = new DatabaseSync(file)
  sqlite.exec(`${migrations.slice(0, version).join(';')}; PRAGMA user_version = ${version}`)
  write(sqlite)
  const database = databaseOf(file, sqlite)
  migrate(file, database)
  return journalIn(database, options)
}

/** A journal of which a backup is made while it is in use: as it was then, with the same id. */
export type KeptJournal = { readonly journal: Journal; readonly backUp: () => Backup }

/** A backup, which can be restored again and again. */
export type Backup = { readonly restored: () => KeptJournal }

/** Opens an empty journal with an id of its own, or what a backup has. */
export function keptJournal(has?: Uint8Array): KeptJournal {
  const sqlite = new DatabaseSync(file)
  sqlite.deserialize(has ?? empty())
  const database = databaseOf(file, sqlite)
  if (has === undefined) database.run('UPDATE identity SET id = ?', randomUUID())
  return {
    journal: journalIn(database),
    backUp() {
      const bytes = sqlite.serialize()
      return { restored: () => keptJournal(bytes) }
    },
  }
}

const once: { empty?: Uint8Array } = {}

function empty(): Uint8Array {
  once.empty ??= migrated()
  return once.empty
}

function migrated(): Uint8Array {
  using sqlite = new DatabaseSync(file)
  migrate(file, databaseOf(file, sqlite))
  return sqlite.serialize()
}
