import { expect } from 'chai'
import { event, postMortem } from '../../../support/journal-builders.ts'
import { memoryJournal } from '../../../support/memory-journal.ts'

describe('journal: what is kept of containers that failed', () => {
  const start = { environment: 'prod', trigger: 'poll', atMs: 0 }

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
})
