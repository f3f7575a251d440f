import { randomUUID } from 'node:crypto'
import { Failure } from '../errors.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'
import { integer } from './row.ts'

/** How many migrations a database has seen; 0: it has no tables. */
export function schemaVersion(database: Database): number {
  const row = database.get('PRAGMA user_version')
  return row === undefined ? 0 : integer(row, 'user_version')
}

/**
 * Brings the tables up to the version this program knows, all at once or not at all. Fails with `journal-newer` when
 * a later program made them: nothing is changed then.
 */
export function migrate(file: string, database: Database): void {
  refuseNewer(file, schemaVersion(database))
  database.transaction(() => {
    const from = schemaVersion(database)
    for (const migration of migrations.slice(from)) {
      for (const statement of statementsOf(migration)) database.run(statement)
    }
    if (from === 0) database.run('INSERT INTO identity (id) VALUES (?)', randomUUID())
    if (from < migrations.length) database.run(`PRAGMA user_version = ${migrations.length}`)
  })
}

/** Fails with `journal-newer` when the tables are of a version this program does not know. */
export function refuseNewer(file: string, version: number): void {
  if (version <= migrations.length) return
  throw new Failure(
    'journal-newer',
    `${file}: the journal has schema version ${version}, this tallyman knows ${migrations.length}`,
  )
}

function statementsOf(migration: string): readonly string[] {
  return migration.split(';').filter(statement => statement.trim() !== '')
}
