import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { type Journal, journalIn } from '../../../lib/journal/journal.ts'
import { type Database, openDatabase } from '../../../lib/journal/store/database.ts'
import { migrate } from '../../../lib/journal/store/migrate.ts'
import { event } from '../../support/builders/journal-builders.ts'

describe('journal: a disk without room', () => {
  let directory = ''
  let database: Database
  let journal: Journal
  let told: string[]
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-full-'))
    const file = join(directory, 'tallyman.sqlite')
    database = openDatabase(file, { readOnly: false })
    migrate(file, database)
    // What migrations dropped would be room.
    database.run('VACUUM')
    told = []
    journal = journalIn(database, { told: (news, { code }) => told.push(`${news}: ${code}`) })
  })
  afterEach(() => {
    journal.close()
    rmSync(directory, { recursive: true })
  })

  /** SQLite's own limit is met with the error of a full disk. */
  const fill = () => void database.run('PRAGMA max_page_count = 1')
  const makeRoom = () => void database.run('PRAGMA max_page_count = 1000000')
  /** More than what is left of a page. */
  const long = 'x'.repeat(7_000)
  const start = { environment: 'prod', trigger: 'poll', atMs: 1_000 }
  const quarantined = {
    environment: 'prod',
    site: 'local',
    application: 'shop',
    service: 'web',
    target: 'target-2',
    release: 'release-2',
    commit: 'c1',
    reason: { code: 'unhealthy', message: long },
    atMs: 3_000,
  }
  const bigStart = { ...start, trigger: long }

  it('G25 begins nothing, and says so', () => {
    fill()
    expect(codeOf(() => journal.beginPass(bigStart))).to.equal('disk-full')
    expect(codeOf(() => journal.atOnce(() => journal.quarantine(quarantined)))).to.equal('disk-full')
    expect([journal.unwritten(), told]).to.deep.equal([undefined, []])
  })

  it('G25 keeps what was done meanwhile, says so once, and writes it when there is room', () => {
    const passId = journal.beginPass(start)
    fill()
    journal.recordStep(passId, event({ step: 'stop-container web.1', note: long }))
    journal.recordStep(passId, event({ step: 'create-container web.2', note: long }))
    journal.insist(() => journal.quarantine(quarantined))
    expect(journal.endPass(passId, { outcome: 'rolled-back', sync: 'OutOfSync', atMs: 4_000 })).to.equal(
      passId,
    )
    expect(journal.unwritten()?.code).to.equal('disk-full')
    expect(journal.show(passId)).to.include({ outcome: 'running', eventCount: 0 })
    expect(journal.quarantined('prod')).to.deep.equal([])
    expect(told).to.deep.equal(['kept: disk-full'])

    makeRoom()
    journal.beginPass({ ...start, atMs: 5_000 })
    const { outcome, events, endedAtMs } = journal.show(passId) ?? {}
    expect({ outcome, endedAtMs, steps: events?.map(({ step }) => step) }).to.deep.equal({
      outcome: 'rolled-back',
      endedAtMs: 4_000,
      steps: ['stop-container web.1', 'create-container web.2'],
    })
    expect(journal.quarantined('prod')).to.deep.equal([quarantined])
    expect(told).to.deep.equal(['kept: disk-full', 'written: disk-full'])
    expect(journal.unwritten()).to.equal(undefined)
  })

  it('G25 writes nothing past what is kept: neither the next pass nor what a person says comes first', () => {
    const passId = journal.beginPass(start)
    fill()
    journal.insist(() => journal.quarantine(quarantined))
    expect(codeOf(() => journal.beginPass(start))).to.equal('disk-full')
    expect(codeOf(() => journal.releaseQuarantined('prod'))).to.equal('disk-full')
    makeRoom()
    expect(journal.releaseQuarantined('prod')).to.equal(1)
    expect(journal.quarantined('prod')).to.deep.equal([])
    journal.endPass(passId, { outcome: 'failed', sync: 'Unknown', atMs: 4_000 })
  })

  it('G25 leaves out what can never be written, and writes what comes after it', () => {
    fill()
    journal.insist(() => {
      journal.quarantine(quarantined)
      throw new Error('it cannot be')
    })
    journal.insist(() => journal.setApplied({ ...quarantined, target: 'target-3' }))
    makeRoom()
    expect(codeOf(() => journal.clearWaiting('prod'))).to.equal('Error: it cannot be')
    journal.clearWaiting('prod')
    expect([journal.applied('prod').size, journal.quarantined('prod').length]).to.deep.equal([1, 0])
    expect(journal.unwritten()).to.equal(undefined)
  })

  it('G25 keeps all of what belongs together, or nothing of it', () => {
    fill()
    journal.insist(() => {
      journal.setApplied({ ...quarantined, target: 'target-3' })
      journal.quarantine(quarantined)
    })
    expect([journal.applied('prod').size, journal.quarantined('prod').length]).to.deep.equal([0, 0])
    makeRoom()
    journal.clearWaiting('prod')
    expect([journal.applied('prod').size, journal.quarantined('prod').length]).to.deep.equal([1, 1])
  })

  it('G25 writes what is kept when it is closed, and says when that is in vain', () => {
    fill()
    journal.insist(() => journal.quarantine(quarantined))
    journal.close()
    expect(told).to.deep.equal(['kept: disk-full', 'lost: disk-full'])
    database = openDatabase(join(directory, 'tallyman.sqlite'), { readOnly: false })
    journal = journalIn(database)
    fill()
    journal.insist(() => journal.quarantine(quarantined))
    makeRoom()
    journal.close()
    journal = journalIn(openDatabase(join(directory, 'tallyman.sqlite'), { readOnly: false }))
    expect(journal.quarantined('prod')).to.have.length(1)
  })

  it('G24 keeps no more history than it can hold, and every decision', () => {
    const passId = journal.beginPass(start)
    fill()
    for (let number = 0; number < 10_050; number += 1)
      journal.recordStep(passId, event({ step: `${number}`, note: number === 0 ? long : '' }))
    journal.insist(() => journal.quarantine(quarantined))
    makeRoom()
    journal.clearWaiting('prod')
    expect(journal.show(passId)?.eventCount).to.equal(10_000)
    expect(journal.quarantined('prod')).to.have.length(1)
  })

  it('G24 keeps no more looks than it can hold, however long the disk is full, and every decision', () => {
    const passId = journal.beginPass(start)
    fill()
    for (let number = 0; number < 9_990; number += 1)
      journal.recordStep(passId, event({ step: `${number}`, note: number === 0 ? long : '' }))
    for (let number = 0; number < 30; number += 1)
      journal.recordPass(
        { ...start, site: `site-${number}`, trigger: long },
        { outcome: 'in-sync', sync: 'Synced', atMs: 2_000 },
      )
    journal.insist(() => journal.quarantine(quarantined))
    makeRoom()
    journal.clearWaiting('prod')
    expect(journal.show(passId)?.eventCount).to.equal(9_990)
    expect(journal.log({ limit: 100 }).map(({ passId }) => passId)).to.have.length(1 + 10)
    expect(journal.quarantined('prod')).to.have.length(1)
  })

  it('G25 writes what there is room for, and the rest in its order later', () => {
    fill()
    const applied = { ...quarantined, target: 'target-1' }
    journal.insist(() => journal.setApplied(applied))
    journal.insist(() => journal.quarantine(quarantined))
    journal.insist(() => journal.setApplied({ ...applied, target: 'target-2' }))
    expect(codeOf(() => journal.clearWaiting('prod'))).to.equal('disk-full')
    makeRoom()
    journal.clearWaiting('prod')
    expect([...journal.applied('prod').values()].map(({ target }) => target)).to.deep.equal(['target-2'])
    expect(journal.quarantined('prod')).to.have.length(1)
  })
})

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'done'
  } catch (error) {
    return error instanceof Failure ? error.code : String(error)
  }
}
