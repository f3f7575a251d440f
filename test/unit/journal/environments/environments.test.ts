import { expect } from 'chai'
import { identity } from '../../../support/builders/builders.ts'
import { earlierJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

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
    const journal = earlierJournal(1, old => {
      old.exec("INSERT INTO identity (id) VALUES ('journal')")
      old.exec("INSERT INTO applied VALUES ('prod', 'local', 'web', 'web', 'target', 'c1', 1)")
    })
    journal.setEnvironment({ ...identity('prod'), directory: 'deploy/environments/prod' })
    expect(journal.applied('prod').get('local/web/web')?.target).to.equal('target')
    expect(journal.applied('prod-59a31d6d').size).to.equal(0)
  })
})
