import { expect } from 'chai'
import { migrations } from '../../../../lib/journal/store/migrations.ts'
import { earlierJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

const web = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
const first = { ...web, target: 'target-1', release: 'release-1', atMs: 1_000 }
const second = { ...web, target: 'target-2', release: 'release-2', atMs: 2_000 }

describe('what a service is brought to', () => {
  it('H25 began when it was first begun, also where it goes on after an interruption', () => {
    const journal = memoryJournal()
    journal.beginAttempt(first)
    journal.beginAttempt({ ...first, atMs: 5_000 })
    expect(journal.attempts('prod', 'local').get('local/web/web')).to.deep.equal({
      ...{ target: 'target-1', release: 'release-1', phase: 'open', begunAtMs: 1_000 },
    })
    journal.close()
  })

  it('H25 begins anew with another release, and with the same one once it has ended', () => {
    const journal = memoryJournal()
    const begun = () => journal.attempts('prod', 'local').get('local/web/web')?.begunAtMs
    journal.beginAttempt(first)
    journal.beginAttempt(second)
    expect(begun()).to.equal(2_000)
    journal.endAttempt(web)
    journal.beginAttempt({ ...second, atMs: 3_000 })
    expect(begun()).to.equal(3_000)
    journal.close()
  })

  it('X12 waits since it began to wait, whoever notes that again, and has waited for all of that once it goes on', () => {
    const journal = memoryJournal()
    const known = () => journal.attempts('prod', 'local').get('local/web/web')
    journal.beginAttempt(first)
    journal.attemptWaits(web, 2_000)
    journal.attemptWaits(web, 3_000)
    expect(known()?.waitsSinceMs).to.equal(2_000)
    journal.attemptGoesOn(web, 5_000)
    expect([known()?.waitsSinceMs, known()?.waitedMs]).to.deep.equal([undefined, 3_000])
    journal.close()
  })

  it('A32 G13 is under way on a site until it has ended or failed, and what only takes away is not', () => {
    const journal = memoryJournal()
    for (const site of ['a', 'b', 'c', 'd']) journal.beginAttempt({ ...first, site })
    journal.endAttempt({ ...web, site: 'b' })
    journal.attemptFailed({ ...web, site: 'c' })
    journal.beginAttempt({ ...first, site: 'd', target: 'absent', release: 'absent' })
    expect(journal.openAttempts('prod').map(({ site }) => site)).to.deep.equal(['a'])
    journal.close()
  })

  it('G5 D18 ends the quarantine of its service, and of no other', () => {
    const journal = memoryJournal()
    const reason = { code: 'unhealthy', message: 'its health check fails' }
    for (const service of ['api', 'web']) journal.quarantine({ ...first, service, commit: 'c1', reason })
    journal.beginAttempt(second)
    expect(journal.quarantined('prod').map(({ service }) => service)).to.deep.equal(['api'])
    journal.close()
  })

  it('G1 has not begun where nothing of it was touched: what was on record before is again', () => {
    const journal = memoryJournal()
    const known = () => journal.attempts('prod', 'local').get('local/web/web')
    journal.beginAttempt({ ...first, of: { commit: 'c1', version: '1' } })
    journal.takeBackAttempt(web, undefined)
    expect(known()).to.equal(undefined)
    journal.beginAttempt({ ...first, of: { commit: 'c1', version: '1' } })
    journal.attemptLost(web)
    const before = known()
    journal.beginAttempt({ ...second, of: { commit: 'c2', version: '2' } })
    journal.takeBackAttempt(web, before)
    expect(known()).to.deep.equal({
      ...{ target: 'target-1', release: 'release-1', phase: 'failed', noReturn: true, begunAtMs: 1_000 },
      of: { commit: 'c1', version: '1' },
    })
    journal.close()
  })

  const pre = { name: 'prod.web.pre.0123abcd', begunAtMs: 1_500, isOver: false }
  const mid = { name: 'prod.web.mid.0123abcd', begunAtMs: 1_600, isOver: false }

  it('H22 says which job of it began last, when, and whether that is over', () => {
    const journal = memoryJournal()
    const known = () => journal.attempts('prod', 'local').get('local/web/web')?.job
    journal.beginAttempt(first)
    expect(known()).to.equal(undefined)
    journal.beginJob(web, pre, false)
    expect(known()).to.deep.equal(pre)
    journal.endJob(web)
    expect(known()).to.deep.equal({ ...pre, isOver: true })
    journal.beginJob(web, mid, true)
    expect(known()).to.deep.equal(mid)
    journal.beginAttempt({ ...first, job: mid })
    expect(known(), 'it goes on').to.deep.equal(mid)
    const before = journal.attempts('prod', 'local').get('local/web/web')
    journal.takeBackAttempt(web, before)
    expect(journal.attempts('prod', 'local').get('local/web/web')).to.deep.equal(before)
    journal.beginAttempt(first)
    expect(known(), 'it begins anew').to.equal(undefined)
    journal.close()
  })

  it('H22 G25 says of what an earlier version began that its jobs are unknown, until one begins or it ends', () => {
    const journal = earlierJournal(withoutJobs, old => {
      for (const [service, phase] of Object.entries({ web: 'open', api: 'failed', db: 'open', log: 'open' }))
        old
          .prepare(
            `INSERT INTO attempt (environment, site, application, service, target, release, phase)
               VALUES ('prod', 'local', 'web', ?, 'target-1', 'release-1', ?)`,
          )
          .run(service, phase)
    })
    const known = (service: string) => journal.attempts('prod', 'local').get(`local/web/${service}`)
    const isUnknown = (service: string) => known(service)?.isJobUnknown === true
    expect(['web', 'api', 'db', 'log'].map(isUnknown)).to.deep.equal([true, false, true, true])
    journal.beginAttempt(first)
    expect(isUnknown('web'), 'it goes on').to.equal(true)
    journal.takeBackAttempt(web, known('web'))
    expect(isUnknown('web'), 'it went on for nothing').to.equal(true)
    journal.beginJob(web, pre, false)
    expect(known('web'), 'one begins').to.deep.include({ job: pre }).and.not.have.property('isJobUnknown')
    journal.beginAttempt({ ...second, service: 'db' })
    expect(isUnknown('db'), 'another begins').to.equal(false)
    journal.endAttempt({ ...web, service: 'log' })
    journal.beginAttempt({ ...first, service: 'log' })
    expect(isUnknown('log'), 'it begins anew').to.equal(false)
  })

  it('H29 is past its return as soon as a mid hook begins, and stays so through the jobs after it', () => {
    const journal = memoryJournal()
    const isPast = () => journal.attempts('prod', 'local').get('local/web/web')?.noReturn === true
    journal.beginAttempt(first)
    journal.beginJob(web, pre, false)
    expect(isPast()).to.equal(false)
    journal.beginJob(web, mid, true)
    expect(isPast()).to.equal(true)
    journal.beginJob(web, { ...pre, name: 'prod.web.post.0123abcd' }, false)
    journal.attemptFailed(web)
    journal.beginAttempt(second)
    expect(isPast(), 'a correction').to.equal(true)
    journal.endAttempt(web)
    expect(isPast()).to.equal(false)
    journal.close()
  })

  it('H29 is lost after a mid hook until something is applied, which ends it', () => {
    const journal = memoryJournal()
    const known = () => journal.attempts('prod', 'local').get('local/web/web')
    journal.beginAttempt(first)
    journal.attemptLost(web)
    expect(known()).to.include({ phase: 'failed', noReturn: true })
    journal.endAttempt(web)
    expect(known()).to.include({ phase: 'ended' }).and.not.have.property('noReturn')
    journal.close()
  })
})

/** How many migrations there were when no job of an attempt was on record. */
const withoutJobs = migrations.findIndex(text => text.includes('ADD COLUMN job TEXT'))
