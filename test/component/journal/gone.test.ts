import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { type Journal, openJournal } from '../../../lib/journal/journal.ts'
import { event, runPass } from '../../support/builders/journal-builders.ts'

describe('journal: its file goes while it is open', () => {
  let directory = ''
  let journal: Journal
  let told: string[]
  const path = (...names: readonly string[]) => join(directory, ...names)
  const file = () => path('state', 'tallyman.sqlite')
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-gone-'))
    told = []
    journal = openJournal(file(), { told: (news, { code }) => told.push(`${news}: ${code}`) })
  })
  afterEach(() => {
    journal.close()
    rmSync(directory, { recursive: true })
  })

  const start = { environment: 'prod', trigger: 'poll', atMs: 1_000 }
  const removed = 'tallyman.sqlite: it was removed while tallyman works with it'
  const cases: readonly (readonly [what: string, go: () => void, why: string])[] = [
    ['the state directory is removed', () => rmSync(path('state'), { recursive: true }), removed],
    ['the state directory is moved away', () => renameSync(path('state'), path('away')), removed],
    [
      'a file has the name of the state directory',
      () => {
        renameSync(path('state'), path('away'))
        writeFileSync(path('state'), '')
      },
      removed,
    ],
    [
      'another state directory is in its place',
      () => {
        renameSync(path('state'), path('away'))
        openJournal(file()).close()
      },
      'tallyman.sqlite: another file is in its place while tallyman works with it',
    ],
    ['the file alone is removed', () => unlinkSync(file()), removed],
    [
      'the write-ahead log with the last commits is removed',
      () => unlinkSync(`${file()}-wal`),
      'tallyman.sqlite-wal: it was removed while tallyman works with it',
    ],
  ]
  for (const [what, go, why] of cases)
    it(`G25 begins nothing if ${what}, and reads what it has`, () => {
      runPass(journal)
      go()
      for (const write of [() => journal.beginPass(start), () => journal.atOnce(() => undefined)])
        expect(failureOf(write))
          .to.include({ code: 'state-dir-gone' })
          .and.to.have.property('message')
          .that.is.a('string')
          .and.satisfies((text: string) => text.endsWith(why))
      expect(journal.log({ limit: 10 })).to.have.length(1)
    })

  it('G25 keeps what was under way, and writes it when the file is back in its place', () => {
    const passId = journal.beginPass(start)
    renameSync(path('state'), path('away'))
    journal.recordStep(passId, event({ step: 'start-container web.2' }))
    journal.endPass(passId, { outcome: 'applied', sync: 'Synced', atMs: 2_000 })
    expect([journal.unwritten()?.code, told]).to.deep.equal(['state-dir-gone', ['kept: state-dir-gone']])
    renameSync(path('away'), path('state'))
    journal.beginPass({ ...start, atMs: 3_000 })
    expect(journal.show(passId)).to.include({ outcome: 'applied', eventCount: 1 })
    expect(told).to.deep.equal(['kept: state-dir-gone', 'written: state-dir-gone'])
  })

  it('G25 says what is lost with it', () => {
    const passId = journal.beginPass(start)
    rmSync(path('state'), { recursive: true })
    journal.endPass(passId, { outcome: 'applied', sync: 'Synced', atMs: 2_000 })
    journal.close()
    expect(told).to.deep.equal(['kept: state-dir-gone', 'lost: state-dir-gone'])
    journal = openJournal(file())
    expect(journal.log({ limit: 10 })).to.deep.equal([])
  })

  it('G25 is not gone because its place cannot be looked at', () => {
    renameSync(path('state'), path('away'))
    symlinkSync(path('state'), path('state'))
    expect(journal.beginPass(start)).to.equal(1)
  })

  it('G25 is read by others until the end, wherever it goes', () => {
    runPass(journal)
    const reader = openJournal(file(), { readOnly: true })
    rmSync(path('state'), { recursive: true })
    expect(reader.log({ limit: 10 })).to.have.length(1)
    reader.close()
  })
})

function failureOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return undefined
}
