import { expect } from 'chai'
import { type Entering, mostWaiting, type QueuePlace } from '../../../../lib/journal/fleet/queue.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { memoryJournal } from '../../../support/memory-journal.ts'

const shop: QueuePlace = { environment: 'prod', site: 'local', application: 'shop' }

function entering(version: string | undefined, parts: Partial<Entering> = {}): Entering {
  const content = `content of ${version}`
  return {
    ...shop,
    ...(version === undefined ? {} : { version }),
    commit: 'c1',
    content,
    atMs: 1_000,
    ...parts,
  }
}

/** `taken 1.0; 1.1 1.2!` : what was taken, and what waits, with a mark at what is forced. */
function shown(journal: Journal, application = 'shop', site = 'local'): string {
  const queue = journal.queues('prod', site).get(application)
  if (queue === undefined) return 'none'
  const waiting = queue.waiting.map(({ version = '-', isForced }) => `${version}${isForced ? '!' : ''}`)
  return [...(queue.taken === undefined ? [] : [`taken ${queue.taken.version ?? '-'};`]), ...waiting].join(
    ' ',
  )
}

function numberOf(journal: Journal, version: string): number {
  const found = journal
    .queues('prod', 'local')
    .get('shop')
    ?.waiting.find(one => one.version === version)
  if (found === undefined) throw new Error(version)
  return found.number
}

describe('the queues in the journal', () => {
  it('A65 keep the order of entry, with all that a decision needs', () => {
    using journal = opened()
    journal.enterQueue(entering('3.0', { commit: 'c3', from: ['^2\\.'] }))
    journal.enterQueue(entering('2.0', { atMs: 2_000 }))
    const [first, second] = journal.queues('prod', 'local').get('shop')?.waiting ?? []
    expect(first).to.deep.include({ version: '3.0', commit: 'c3', from: ['^2\\.'], atMs: 1_000 })
    expect(second).to.deep.include({ version: '2.0', content: 'content of 2.0', atMs: 2_000 })
    expect(second).not.to.have.any.keys('from', 'isForced')
  })

  it('A65 enter a version once, however often it is seen', () => {
    using journal = opened()
    for (const commit of ['c1', 'c2', 'c3']) journal.enterQueue(entering('1.0', { commit }))
    expect(shown(journal)).to.equal('1.0')
    journal.takeFromQueue(shop, numberOf(journal, '1.0'))
    journal.enterQueue(entering('1.0'))
    expect(shown(journal)).to.equal('taken 1.0;')
  })

  it('A65 enter the same version with other content, and an earlier one that is wanted again', () => {
    using journal = opened()
    journal.enterQueue(entering('1.0'))
    journal.enterQueue(entering('1.1'))
    journal.enterQueue(entering('1.1', { content: 'corrected' }))
    journal.enterQueue(entering('1.0'))
    expect(shown(journal)).to.equal('1.0 1.1 1.1 1.0')
  })

  it('A11 enter an application without a version by its content', () => {
    using journal = opened()
    journal.enterQueue(entering(undefined, { content: 'a' }))
    journal.enterQueue(entering(undefined, { content: 'a' }))
    journal.enterQueue(entering(undefined, { content: 'b' }))
    expect(shown(journal)).to.equal('- -')
  })

  it('A65 let what entered before leave once a version is taken, and keep what entered after', () => {
    using journal = opened()
    for (const version of ['1.0', '1.1', '1.2', '1.3']) journal.enterQueue(entering(version))
    journal.takeFromQueue(shop, numberOf(journal, '1.0'))
    journal.takeFromQueue(shop, numberOf(journal, '1.2'))
    expect(shown(journal)).to.equal('taken 1.2; 1.3')
  })

  it('A66 delete one version or all that wait, and do not enter them again by themselves', () => {
    using journal = opened()
    for (const version of ['1.0', '1.1', '1.2']) journal.enterQueue(entering(version))
    journal.takeFromQueue(shop, numberOf(journal, '1.0'))
    expect(journal.deleteFromQueue(shop, '1.2')).to.equal(1)
    expect(journal.deleteFromQueue(shop, '1.0'), 'what runs').to.equal(0)
    journal.enterQueue(entering('1.2'))
    expect(shown(journal)).to.equal('taken 1.0; 1.1')
    journal.enterQueue(entering('1.3'))
    expect(journal.deleteFromQueue(shop)).to.equal(2)
    expect(shown(journal)).to.equal('taken 1.0;')
    journal.enterQueue(entering('1.2'))
    expect(shown(journal), 'wanted anew').to.equal('taken 1.0; 1.2')
  })

  it('A66 force the newest entry of a version, or the newest of all', () => {
    using journal = opened()
    for (const version of ['1.0', '1.1']) journal.enterQueue(entering(version))
    journal.enterQueue(entering('1.0', { content: 'corrected' }))
    expect(journal.forceInQueue(shop, '1.1')).to.deep.include({ version: '1.1', isForced: true })
    expect(shown(journal)).to.equal('1.0 1.1! 1.0')
    expect(journal.forceInQueue(shop)).to.deep.include({ content: 'corrected' })
    expect(journal.forceInQueue(shop, '9.9')).to.equal(undefined)
    expect(shown(journal)).to.equal('1.0 1.1! 1.0!')
  })

  it('G24 keep the newest of thousands of versions, never give up what runs, and say how many gave way', () => {
    using journal = opened()
    journal.enterQueue(entering('0'))
    journal.takeFromQueue(shop, numberOf(journal, '0'))
    const dropped = Array.from({ length: mostWaiting + 20 }, (_, index) =>
      journal.enterQueue(entering(`${index + 1}`)),
    )
    expect(dropped.reduce((sum, one) => sum + one, 0)).to.equal(20)
    const queue = journal.queues('prod', 'local').get('shop')
    expect(queue?.taken?.version).to.equal('0')
    expect(queue?.waiting.length).to.equal(mostWaiting)
    expect(queue?.waiting.at(0)?.version).to.equal('21')
    expect(queue?.waiting.at(-1)?.version).to.equal(`${mostWaiting + 20}`)
  })

  it('G17 are those of one site and one application, which are forgotten alone', () => {
    using journal = opened()
    journal.enterQueue(entering('1.0'))
    journal.enterQueue(entering('1.0', { site: 'other' }))
    journal.enterQueue(entering('2.0', { application: 'api' }))
    journal.deleteFromQueue({ ...shop, site: 'other' })
    journal.forgetQueue({ ...shop, application: 'api' })
    expect([shown(journal), shown(journal, 'shop', 'other'), shown(journal, 'api')]).to.deep.equal([
      '1.0',
      'none',
      'none',
    ])
  })
})

function opened() {
  const journal = memoryJournal()
  return { ...journal, [Symbol.dispose]: () => journal.close() }
}
