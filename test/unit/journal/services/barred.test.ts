import { expect } from 'chai'
import { migrations } from '../../../../lib/journal/store/migrations.ts'
import { isDeployed } from '../../../../lib/plan/compare/past.ts'
import { earlierJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('the versions that are barred', () => {
  const web = { environment: 'prod', site: 'local', application: 'web', service: 'web', digest: 'sha256:aa' }
  const failed = { ...web, message: 'local: prod.web.deploy.1: exited with code 1', atMs: 7 }

  it('P6 stay barred until a person releases their application', () => {
    using journal = opened()
    journal.barVersion(failed)
    journal.barVersion({ ...failed, application: 'api' })
    expect(journal.barred('prod')).to.deep.equal([{ ...failed, application: 'api' }, failed])
    expect(journal.releaseBarred('prod', 'web')).to.equal(1)
    expect(journal.barred('prod')).to.deep.equal([{ ...failed, application: 'api' }])
  })

  it('P6 are no longer barred once their deploy went well', () => {
    using journal = opened()
    journal.barVersion(failed)
    journal.setDeployed(web)
    expect(journal.barred('prod')).to.deep.equal([])
    expect([...journal.deployed('prod')]).to.deep.equal([['local/web/web/sha256:aa', true]])
  })

  it('P6 are those of one service, whatever becomes of another one with the same image', () => {
    using journal = opened()
    journal.setDeployed({ ...web, service: 'admin' })
    journal.barVersion(failed)
    journal.setDeployed({ ...web, service: 'worker' })
    expect(journal.barred('prod')).to.deep.equal([failed])
    expect([...journal.deployed('prod')]).to.deep.equal([
      ['local/web/admin/sha256:aa', true],
      ['local/web/worker/sha256:aa', true],
    ])
  })

  it('P6 D10 have not been deployed any more, also if that succeeded before', () => {
    using journal = opened()
    journal.setDeployed(web)
    journal.barVersion(failed)
    journal.releaseBarred('prod')
    expect([...journal.deployed('prod')]).to.deep.equal([])
  })

  it('P6 G25 of an earlier version count for every service of the application until one is deployed anew', () => {
    const journal = earlierJournal(byApplication, old => {
      old.exec("INSERT INTO barred VALUES ('prod', 'local', 'web', 'sha256:aa', 'exited with code 1', 7)")
      for (const digest of ['sha256:aa', 'sha256:bb'])
        old.prepare('INSERT INTO deployed VALUES (?, ?, ?, ?)').run('prod', 'local', 'web', digest)
    })
    expect(journal.barred('prod')).to.deep.equal([{ ...failed, service: '', message: 'exited with code 1' }])
    expect([...journal.deployed('prod')]).to.deep.equal([['local/web//sha256:bb', true]])
    journal.unbarVersion(web)
    expect(journal.barred('prod')).to.deep.equal([])
    journal.barVersion({ ...failed, digest: 'sha256:bb' })
    journal.releaseBarred('prod')
    const isDone = (service: string, digest: string) =>
      isDeployed(journal.deployed('prod'), { site: 'local', application: 'web', service }, digest)
    expect(isDone('web', 'sha256:bb'), 'the one that failed').to.equal(false)
    expect(isDone('api', 'sha256:bb'), 'another one').to.equal(true)
    expect(isDone('api', 'sha256:cc'), 'of another image').to.equal(false)
    journal.setDeployed({ ...web, digest: 'sha256:bb' })
    expect(isDone('web', 'sha256:bb'), 'deployed anew').to.equal(true)
  })

  it('are those of one environment', () => {
    using journal = opened()
    journal.barVersion(failed)
    expect(journal.barred('devel')).to.deep.equal([])
    expect(journal.releaseBarred('devel')).to.equal(0)
  })
})

/** How many migrations there were when an image was barred for all services of an application together. */
const byApplication = migrations.findIndex(text => text.includes('barred_before'))

function opened() {
  const journal = memoryJournal()
  return { ...journal, [Symbol.dispose]: () => journal.close() }
}
