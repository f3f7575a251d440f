import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openJournal } from '../../../../lib/journal/journal.ts'
import { openDatabase } from '../../../../lib/journal/store/database.ts'
import { migrations } from '../../../../lib/journal/store/migrations.ts'
import { identity } from '../../../support/builders.ts'
import { memoryJournal } from '../../../support/memory-journal.ts'

describe('journal: what environments are called', () => {
  it('D17 has one name for each directory of each repository', () => {
    const journal = memoryJournal()
    journal.setEnvironment(identity('prod'))
    journal.setEnvironment({ ...identity('prod-1'), directory: 'a/environments/prod' })
    journal.setEnvironment({ ...identity('prod-2'), source: 'team/shop' })
    journal.setEnvironment(identity('prod'))
    expect(journal.environments()).to.deep.equal([
      { environment: 'prod', source: 'ops/manifests', directory: 'environments/prod' },
      { environment: 'prod-1', source: 'ops/manifests', directory: 'a/environments/prod' },
      { environment: 'prod-2', source: 'team/shop', directory: 'environments/prod-2' },
    ])
  })

  it('D17 hands a name on with a directory that moved', () => {
    const journal = memoryJournal()
    journal.setEnvironment({ ...identity('prod'), directory: 'deploy/environments/prod' })
    journal.setEnvironment(identity('prod'))
    expect(journal.environments()).to.deep.equal([
      { environment: 'prod', source: 'ops/manifests', directory: 'environments/prod' },
    ])
  })

  it('D17 keeps what it knows of an environment from before it knew directories', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tallyman-journal-'))
    try {
      const file = join(directory, 'tallyman.sqlite')
      const [first = ''] = migrations
      const old = openDatabase(file, { readOnly: false })
      for (const statement of first.split(';').filter(text => text.trim() !== '')) old.run(statement)
      old.run("INSERT INTO identity (id) VALUES ('journal')")
      old.run("INSERT INTO applied VALUES ('prod', 'local', 'web', 'web', 'target', 'c1', 1)")
      old.run('PRAGMA user_version = 1')
      old.close()
      const journal = openJournal(file)
      journal.setEnvironment({ ...identity('prod'), directory: 'deploy/environments/prod' })
      expect(journal.applied('prod').get('local/web/web')?.target).to.equal('target')
      expect(journal.applied('prod-59a31d6d').size).to.equal(0)
      journal.close()
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
