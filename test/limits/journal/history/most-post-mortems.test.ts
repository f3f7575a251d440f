import { expect } from 'chai'
import { event, postMortem } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: what is kept of containers that failed', () => {
  const start = { environment: 'prod', trigger: 'poll', atMs: 0 }

  it('G24 is bounded: 20 of one pass, 500 of an environment, whatever fails in others', () => {
    const journal = memoryJournal()
    const other = journal.beginPass({ ...start, environment: 'test' })
    journal.recordStep(other, event({ phase: 'noted', postMortem: postMortem('web.1') }))
    const passIds = Array.from({ length: 30 }, () => {
      const passId = journal.beginPass(start)
      for (let number = 1; number <= 25; number += 1)
        journal.recordStep(passId, event({ phase: 'noted', postMortem: postMortem(`web.${number}`) }))
      return passId
    })
    const kept = passIds.map(passId => journal.show(passId)?.postMortems?.length ?? 0)
    expect(kept).to.deep.equal([...Array(5).fill(0), ...Array(25).fill(20)])
    expect(journal.show(other)?.postMortems).to.have.length(1)
  })

  it('G24 G25 takes none from another site of the environment that has fewer', () => {
    const journal = memoryJournal()
    const failOn = (site: string) => {
      const passId = journal.beginPass({ ...start, site })
      for (let number = 1; number <= 20; number += 1)
        journal.recordStep(passId, event({ site, phase: 'noted', postMortem: postMortem(`web.${number}`) }))
      return passId
    }
    const quiet = failOn('quiet')
    const busy = Array.from({ length: 30 }, () => failOn('busy'))
    const keptOf = (passId: number) => journal.show(passId)?.postMortems?.length ?? 0
    expect(keptOf(quiet)).to.equal(20)
    expect(busy.map(keptOf)).to.deep.equal([...Array(6).fill(0), ...Array(24).fill(20)])
  })
})
