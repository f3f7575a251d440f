import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'
import { integer } from './row.ts'
import { tables } from './tables.gen.ts'

/** The newest version of the tables that this program knows. */
export const newestSchema: number = migrations.length

/** Returns the number of migrations that were run on a database; 0 if it has no tables. */
export function schemaVersion(database: Database): number {
  const row = database.get('PRAGMA user_version')
  return row === undefined ? 0 : integer(row, 'user_version')
}

/**
 * Brings the tables to the newest version, completely or not at all. Those of a new journal are made as they are now,
 * which is what all migrations make. Fails with `journal-newer` if a later version of the program made them, and with
 * `journal-corrupt` if they are not the tables of a journal. Nothing is changed then.
 */
export function migrate(file: string, database: Database): void {
  refuseForeign(file, database)
  database.transaction(() => {
    const from = schemaVersion(database)
    if (from === 0) for (const statement of tables.statements) database.run(statement)
    for (const migration of migrations.slice(from === 0 ? tables.version : from)) {
      for (const statement of statementsOf(migration)) database.run(statement)
    }
    if (from === 0) database.run('INSERT INTO identity (id) VALUES (?)', randomUUID())
    if (from < migrations.length) database.run(`PRAGMA user_version = ${migrations.length}`)
  })
}

/**
 * Fails with `journal-newer` if the tables have a version that this program does not know, and with `journal-corrupt`
 * if there are tables without a version: they belong to another program, or are damaged.
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
