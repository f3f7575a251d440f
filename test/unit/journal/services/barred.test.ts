import { expect } from 'chai'
import { memoryJournal } from '../../../support/memory-journal.ts'

describe('the versions that are barred', () => {
  const web = { environment: 'prod', site: 'local', application: 'web', digest: 'sha256:aa' }
  const failed = { ...web, message: 'local: prod.web.deploy.1: exited with code 1', atMs: 7 }

  it('P6 stay barred until a person releases their application', () => {
    using journal = opened()
    journal.bar(failed)
    journal.bar({ ...failed, application: 'api' })
    expect(journal.barred('prod')).to.deep.equal([{ ...failed, application: 'api' }, failed])
    expect(journal.releaseBarred('prod', 'web')).to.equal(1)
    expect(journal.barred('prod')).to.deep.equal([{ ...failed, application: 'api' }])
  })

  it('P6 are no longer barred once their deploy went well', () => {
    using journal = opened()
    journal.bar(failed)
    journal.setDeployed(web)
    expect(journal.barred('prod')).to.deep.equal([])
    expect([...journal.deployed('prod')]).to.deep.equal(['local/web/sha256:aa'])
  })

  it('are those of one environment', () => {
    using journal = opened()
    journal.bar(failed)
    expect(journal.barred('devel')).to.deep.equal([])
    expect(journal.releaseBarred('devel')).to.equal(0)
  })
})

function opened() {
  const journal = memoryJournal()
  return { ...journal, [Symbol.dispose]: () => journal.close() }
}
