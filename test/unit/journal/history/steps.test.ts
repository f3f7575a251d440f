import { expect } from 'chai'
import { event, runPass } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: the steps after a point', () => {
  it('G25 are those of an environment, in order, and each is told once', () => {
    const journal = memoryJournal()
    runPass(journal, { events: [event({ step: 'pull-image' })] })
    const { events: earlier, after: now } = journal.stepsAfter('prod')
    runPass(journal, { events: [event({ step: 'create-container' }), event({ step: 'start-container' })] })
    const { events, after } = journal.stepsAfter('prod', now)
    expect(earlier).to.deep.equal([])
    expect(events.map(({ step }) => step)).to.deep.equal(['create-container', 'start-container'])
    expect(journal.stepsAfter('prod', after)).to.deep.equal({ events: [], after })
  })

  it('G24 go on behind those of other environments, which are not gone through again', () => {
    const journal = memoryJournal()
    const { after: now } = journal.stepsAfter('prod')
    runPass(journal, { environment: 'stage', events: [event(), event(), event()] })
    const { events, after } = journal.stepsAfter('prod', now)
    expect([events, after]).to.deep.equal([[], now + 3])
  })

  it('G24 are at most 1,000 at once, and the next ones come after those', () => {
    const journal = memoryJournal()
    runPass(journal, { events: Array.from({ length: 1_001 }, () => event()) })
    const first = journal.stepsAfter('prod', 0)
    const second = journal.stepsAfter('prod', first.after)
    expect([first.events.length, second.events.length]).to.deep.equal([1_000, 1])
  })
})
