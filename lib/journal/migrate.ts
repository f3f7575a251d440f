import { randomUUID } from 'node:crypto'
import { Failure } from '../errors.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'
import { integer } from './row.ts'

/** The version of the tables that this program knows. */
export const newestSchema: number = migrations.length

/** How many migrations a database has seen; 0: it has no tables. */
export function schemaVersion(database: Database): number {
  const row = database.get('PRAGMA user_version')
  return row === undefined ? 0 : integer(row, 'user_version')
}

/**
 * Brings the tables up to the version this program knows, all at once or not at all. Fails with `journal-newer` when
 * a later program made them and with `journal-corrupt` when they are not ours: nothing is changed then.
 */
export function migrate(file: string, database: Database): void {
  refuseForeign(file, database)
  database.transaction(() => {
    const from = schemaVersion(database)
    for (const migration of migrations.slice(from)) {
      for (const statement of statementsOf(migration)) database.run(statement)
    }
    if (from === 0) database.run('INSERT INTO identity (id) VALUES (?)', randomUUID())
    if (from < migrations.length) database.run(`PRAGMA user_version = ${migrations.length}`)
  })
}

/**
 * Fails with `journal-newer` when the tables are of a version this program does not know, and with `journal-corrupt`
 * when there are tables of no version: they are not ours, or have lost what they are.
 */
export function refuseForeign(file: string, database: Database): void {
  const version = schemaVersion(database)
  if (version === 0 && database.get('SELECT 1 FROM sqlite_schema') !== undefined)
    throw new Failure('journal-corrupt', `${file}: has tables, but not the version of a journal`)
  if (version >= 0 && version <= migrations.length) return
  throw new Failure(
    'journal-newer',
    `${file}: the journal has schema version ${version}, this tallyman knows ${migrations.length}`,
  )
}

function statementsOf(migration: string): readonly string[] {
  return migration.split(';').filter(statement => statement.trim() !== '')
}
