import { expect } from 'chai'
import { event, postMortem } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: what is kept of containers that failed', () => {
  const start = { environment: 'prod', trigger: 'poll', atMs: 0 }

  it('G25 H9 is shown with the pass, and goes with it', () => {
    const journal = memoryJournal()
    const passId = journal.beginPass(start)
    const noted = event({ phase: 'noted', note: 'kept', atMs: 7 })
    journal.recordStep(passId, { ...noted, postMortem: postMortem('web.1') })
    journal.recordStep(passId, noted)
    const { site, application, service } = noted
    const record = journal.show(passId)
    expect(record?.postMortems).to.deep.equal([
      { atMs: 7, site, application, service, ...postMortem('web.1') },
    ])
    expect(record?.events.map(({ note }) => note)).to.deep.equal(['kept', 'kept'])
    expect(journal.show(journal.beginPass(start))).to.not.have.property('postMortems')
  })

  it('G13 says which passes there are', () => {
    const journal = memoryJournal()
    expect(journal.knownPasses()).to.equal(undefined)
    for (let number = 1; number <= 3; number += 1) journal.beginPass(start)
    expect(journal.knownPasses()).to.deep.equal({ first: 1, last: 3 })
  })
})
