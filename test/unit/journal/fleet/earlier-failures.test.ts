import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { journalIn } from '../../../../lib/journal/journal.ts'
import { databaseOf } from '../../../../lib/journal/store/database.ts'
import { migrate } from '../../../../lib/journal/store/migrate.ts'
import { migrations } from '../../../../lib/journal/store/migrations.ts'

const file = ':memory:'

describe('journal: versions that failed under an earlier Tallyman', () => {
  it('A65 G5 are known by what was kept of their commit, and all that entered was wanted', () => {
    const at = migrations.findIndex(one => one.includes('ALTER TABLE release_entry ADD COLUMN is_wanted'))
    const sqlite = new DatabaseSync(file)
    sqlite.exec(`${migrations.slice(0, at).join(';')}; PRAGMA user_version = ${at}`)
    sqlite.exec(`
      INSERT INTO kept_release (environment, application, version, commit_id, mark, images, paths, at)
        VALUES ('prod', 'web', '2.0', 'c2', 'two', '[]', '"any"', 1), ('prod', 'api', '2.0', 'c2', 'other', '[]', '"any"', 1);
      INSERT INTO release_entry (environment, application, version, at) VALUES ('prod', 'web', '2.0', 1);
      INSERT INTO quarantine (environment, site, application, service, target, commit_id, code, message, at, release)
        VALUES ('prod', 'a', 'web', 'web', 't', 'c2', 'exited-early', 'exited', 2, 'r'),
          ('prod', 'b', 'web', 'web', 't', 'c3', 'exited-early', 'exited', 2, 'r');
    `)
    const database = databaseOf(file, sqlite)
    migrate(file, database)
    const journal = journalIn(database)
    expect(journal.quarantined('prod').map(({ site, mark }) => [site, mark])).to.deep.equal([
      ['a', 'two'],
      ['b', undefined],
    ])
    expect(journal.versionEntries('prod', 'web')).to.deep.equal([
      { number: 1, version: '2.0', atMs: 1, kept: { commit: 'c2', mark: 'two', paths: 'any' } },
    ])
  })
})
