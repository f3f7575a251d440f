import { expect } from 'chai'
import { keptJournal, memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('the count of what a journal has on record as made', () => {
  it('G25 is later for a backup, until that has counted on from there', () => {
    const { journal, backUp } = keptJournal()
    const first = journal.countMade('prod', 'a')
    const backup = backUp()
    journal.countMade('prod', 'a')
    const third = journal.countMade('prod', 'a')
    const { journal: restored } = backup.restored()
    expect(restored.laterCount('prod', 'a', [first])).to.equal(undefined)
    expect(restored.laterCount('prod', 'a', [first, third])).to.equal(3)
    restored.countFrom('prod', 'a', 3)
    expect(restored.laterCount('prod', 'a', [first, third])).to.equal(undefined)
    expect(journal.laterCount('prod', 'a', [restored.countMade('prod', 'a')])).to.equal(4)
  })

  it('G25 is never later for the journal that counted, however much was made', () => {
    const journal = memoryJournal()
    const all = [journal.countMade('prod', 'a'), journal.countMade('prod', 'a')]
    expect(journal.laterCount('prod', 'a', all)).to.equal(undefined)
    expect(journal.laterCount('prod', 'a', [])).to.equal(undefined)
  })

  it('G25 D17 says nothing of another journal, another site, or what is no record', () => {
    const { journal, backUp } = keptJournal()
    const { journal: early } = backUp().restored()
    const strangers = [
      memoryJournal().countMade('prod', 'a'),
      journal.countMade('prod', 'b'),
      `${journal.identity()} 1000000000000000 a`,
      `${journal.identity()} 01 a`,
      `${journal.identity()} -1 a`,
      journal.identity(),
    ]
    expect(early.laterCount('prod', 'a', strangers)).to.equal(undefined)
  })
})
