import { expect } from 'chai'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('journal: what it remembers', () => {
  it('remembers the latest 2,000 instances, and those that are remembered again', () => {
    const journal = memoryJournal()
    for (let number = 0; number < 1_500; number++) journal.rememberInstance(`v1:${number}`, {})
    journal.rememberInstance('v1:0', {})
    for (let number = 1_500; number < 3_000; number++) journal.rememberInstance(`v1:${number}`, {})
    const known = ['0', '1', '1001', '2999'].filter(number => journal.instance(`v1:${number}`) !== undefined)
    expect(known).to.deep.equal(['0', '1001', '2999'])
  })
})
