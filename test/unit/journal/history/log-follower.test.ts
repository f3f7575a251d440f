import { expect } from 'chai'
import type { Journal } from '../../../../lib/journal/journal.ts'
import type { Outcome } from '../../../../lib/state/pass/outcome.ts'
import { change, plan, revision } from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const everything = { limit: 10 }

function begin(journal: Journal, site: string, environment = 'prod'): number {
  return journal.beginPass({ environment, site, trigger: 'poll', atMs: 1_000, revision: revision('c1') })
}

function end(journal: Journal, pass: number, outcome: Outcome, atMs: number): void {
  journal.endPass(pass, { outcome, sync: 'Synced', atMs })
}

describe('journal: what is followed', () => {
  it('G25 tells the end of a pass after that of one that began later', () => {
    const journal = memoryJournal()
    const follower = journal.followLog(everything)
    const [north, south] = [begin(journal, 'north'), begin(journal, 'south')]
    end(journal, south, 'applied', 2_000)
    expect(follower.ended().map(toldOf)).to.deep.equal(['2 applied'])
    end(journal, north, 'rolled-back', 3_000)
    expect(follower.ended().map(toldOf)).to.deep.equal(['1 rolled-back'])
    expect(follower.ended()).to.deep.equal([])
  })

  it('G25 tells the end of a pass that ran already when it began to follow', () => {
    const journal = memoryJournal()
    end(journal, begin(journal, 'north'), 'applied', 1_500)
    const running = begin(journal, 'north')
    const follower = journal.followLog(everything)
    expect(follower.begun.map(toldOf)).to.deep.equal(['2 running', '1 applied'])
    end(journal, running, 'failed', 2_000)
    expect(follower.ended().map(toldOf)).to.deep.equal(['2 failed'])
  })

  it('tells what ended between two looks in the order of the ends', () => {
    const journal = memoryJournal()
    const follower = journal.followLog(everything)
    const [north, south, west] = [begin(journal, 'north'), begin(journal, 'south'), begin(journal, 'west')]
    end(journal, west, 'applied', 2_000)
    end(journal, north, 'applied', 3_000)
    end(journal, south, 'applied', 4_000)
    expect(follower.ended().map(toldOf)).to.deep.equal(['3 applied', '1 applied', '2 applied'])
  })

  it('tells only what was asked for, also if a pass turns out to be that after it began', () => {
    const journal = memoryJournal()
    const follower = journal.followLog({ ...everything, environment: 'prod', application: 'blog' })
    const [blog, shop, stage] = [
      begin(journal, 'north'),
      begin(journal, 'south'),
      begin(journal, 'lab', 'stage'),
    ]
    const about = (application: string) => plan({ id: application, changes: [change({ application })] })
    expect(follower.ended()).to.deep.equal([])
    journal.setPlan(blog, about('blog'))
    journal.setPlan(shop, about('shop'))
    journal.setPlan(stage, about('blog'))
    for (const pass of [stage, shop, blog]) end(journal, pass, 'applied', 2_000)
    expect(follower.ended().map(toldOf)).to.deep.equal(['1 applied'])
  })

  it('says nothing of a pass that is counted with an earlier one', () => {
    const journal = memoryJournal()
    end(journal, begin(journal, 'north'), 'in-sync', 1_500)
    const follower = journal.followLog(everything)
    end(journal, begin(journal, 'north'), 'in-sync', 2_000)
    expect(follower.ended()).to.deep.equal([])
  })
})

function toldOf({ passId, outcome }: { readonly passId: number; readonly outcome: string }): string {
  return `${passId} ${outcome}`
}
