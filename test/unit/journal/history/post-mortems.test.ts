import { expect } from 'chai'
import type { PostMortem } from '../../../../lib/state/pass/post-mortem.ts'
import { event } from '../../../support/journal-builders.ts'
import { memoryJournal } from '../../../support/memory-journal.ts'

const postMortem = (container: string): PostMortem => ({
  container,
  exitCode: 3,
  oomKilled: false,
  restarts: 2,
  checks: [{ exitCode: 1, output: 'refused' }],
  lines: ['starting', 'no database'],
})

describe('journal: what is kept of containers that failed', () => {
  const start = { environment: 'prod', trigger: 'poll', atMs: 0 }

  it('G25 H9 is shown with the pass, and goes with it', () => {
    const journal = memoryJournal()
    const passId = journal.beginPass(start)
    const noted = event({ phase: 'noted', note: 'kept', atMs: 7 })
    journal.append(passId, { ...noted, postMortem: postMortem('web.1') })
    journal.append(passId, noted)
    const { site, application, service } = noted
    const record = journal.show(passId)
    expect(record?.postMortems).to.deep.equal([
      { atMs: 7, site, application, service, ...postMortem('web.1') },
    ])
    expect(record?.events.map(({ note }) => note)).to.deep.equal(['kept', 'kept'])
    expect(journal.show(journal.beginPass(start))).to.not.have.property('postMortems')
  })

  it('G24 is bounded: 20 of one pass, 500 of an environment, whatever fails in others', () => {
    const journal = memoryJournal()
    const other = journal.beginPass({ ...start, environment: 'test' })
    journal.append(other, event({ phase: 'noted', postMortem: postMortem('web.1') }))
    const passIds = Array.from({ length: 30 }, () => {
      const passId = journal.beginPass(start)
      for (let number = 1; number <= 25; number += 1)
        journal.append(passId, event({ phase: 'noted', postMortem: postMortem(`web.${number}`) }))
      return passId
    })
    const kept = passIds.map(passId => journal.show(passId)?.postMortems?.length ?? 0)
    expect(kept).to.deep.equal([...Array(5).fill(0), ...Array(25).fill(20)])
    expect(journal.show(other)?.postMortems).to.have.length(1)
  })

  it('G13 says which passes there are', () => {
    const journal = memoryJournal()
    expect(journal.knownPasses()).to.equal(undefined)
    for (let number = 1; number <= 3; number += 1) journal.beginPass(start)
    expect(journal.knownPasses()).to.deep.equal({ first: 1, last: 3 })
  })
})
