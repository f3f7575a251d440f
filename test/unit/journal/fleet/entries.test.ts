import { expect } from 'chai'
import { keptEntries } from '../../../../lib/journal/fleet/entries.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import type { QueueWord } from '../../../../lib/state/fleet/queue.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const shop = { environment: 'prod', application: 'shop' }

function keep(journal: Journal, version: string, ways: readonly string[] = []): void {
  const about = { commit: `c${version}`, mark: version, images: [], paths: 'any' as const, atMs: 1 }
  journal.keepVersion({ ...shop, ...about, version }, { named: [], ways })
}

const shown = (journal: Journal) =>
  journal
    .versionEntries('prod', 'shop')
    .map(({ version, kept }) => `${version}${kept === undefined ? ' gone' : ''}`)

describe('the versions in the order in which commits brought them', () => {
  it('A65 has a version again that comes again after another, and not twice in a row', () => {
    const journal = memoryJournal()
    for (const version of ['1', '1', '2', '1']) keep(journal, version)
    expect(shown(journal)).to.deep.equal(['1', '2', '1'])
  })

  it('X18 is wanted anew, in its place, with another content, and not with the same or if another one is wanted', () => {
    const journal = memoryJournal()
    const seqs = () =>
      journal.versionEntries('prod', 'shop').map(({ version, wantedSeq }) => [version, wantedSeq])
    const has = (version: string, mark: string) => {
      const about = { commit: mark, mark, images: [], paths: 'any' as const, atMs: 1 }
      journal.keepVersion({ ...shop, ...about, version }, { named: ['1', '2'], ways: [] })
    }
    has('1', 'a')
    has('2', 'b')
    const before = [
      ['1', 1],
      ['2', 2],
    ]
    expect(seqs()).to.deep.equal(before)
    has('2', 'b')
    expect(seqs(), 'the same').to.deep.equal(before)
    has('2', 'c')
    expect(seqs()).to.deep.equal([
      ['1', 1],
      ['2', 3],
    ])
    journal.wantVersion({ ...shop, version: '1', atMs: 2 })
    const wanted = seqs()
    has('2', 'd')
    expect(seqs(), 'another one is wanted').to.deep.equal(wanted)
  })

  it('A65 A6 keeps what a site may have to go by besides the last four, of which one cannot go back to it', () => {
    const journal = memoryJournal()
    for (const version of ['1', '2', '3', '4', '5']) keep(journal, version)
    keep(journal, '6', ['2', '3', '4', '5', '6'])
    expect(shown(journal)).to.deep.equal(['1 gone', '2', '3', '4', '5', '6'])
    expect(journal.keptVersions('prod', 'shop').map(({ version }) => version)).to.deep.equal([
      '6',
      '5',
      '4',
      '3',
    ])
    expect(journal.keptCommits()).to.include('c2')
    keep(journal, '7')
    expect(shown(journal)).to.deep.equal(['1 gone', '2 gone', '3 gone', '4', '5', '6', '7'])
  })

  it('A12 has a version again that is wanted again, and in its place one that came since and is wanted first', () => {
    const journal = memoryJournal()
    const named = (version: string) => {
      const about = { commit: `c${version}`, mark: version, images: [], paths: 'any' as const, atMs: 1 }
      journal.keepVersion({ ...shop, ...about, version }, { named: ['1'], ways: [] })
    }
    const want = (version: string, atMs: number) => journal.wantVersion({ ...shop, version, atMs })
    const entries = () =>
      journal
        .versionEntries('prod', 'shop')
        .map(({ version, atMs, isUnwanted }) => `${version} ${atMs}${isUnwanted ? ' unwanted' : ''}`)
    for (const version of ['1', '2', '3']) named(version)
    want('1', 2)
    expect(entries()).to.deep.equal(['1 1', '2 1 unwanted', '3 1 unwanted'])
    want('2', 3)
    expect(entries()).to.deep.equal(['1 1', '2 3', '3 1 unwanted'])
    want('1', 4)
    want('3', 5)
    expect(entries()).to.deep.equal(['1 1', '2 3', '3 1 unwanted', '1 4', '3 5'])
    expect([...journal.versionsWanted('prod')]).to.deep.equal([['shop', '3']])
  })

  it('A12 A65 keeps the version that is wanted, however many came since, and gives no number of a wanted one twice', () => {
    const journal = memoryJournal()
    const named = (version: string) => {
      const about = { commit: `c${version}`, mark: version, images: [], paths: 'any' as const, atMs: 1 }
      journal.keepVersion({ ...shop, ...about, version }, { named: ['1'], ways: [] })
    }
    for (let version = 0; version <= keptEntries + 5; version += 1) {
      named(String(version))
      journal.wantVersion({ ...shop, version: '1', atMs: 1 })
    }
    expect([...journal.versionsWanted('prod')]).to.deep.equal([['shop', '1']])
    expect(shown(journal).slice(0, 2)).to.deep.equal(['1', '6 gone'])
    expect(shown(journal)).to.have.length(keptEntries + 1)
    journal.wantVersion({ ...shop, version: '9', atMs: 2 })
    journal.wantVersion({ environment: 'devel', application: 'shop', version: '1', atMs: 3 })
    expect(
      ['prod', 'devel'].flatMap(environment =>
        journal.versionEntries(environment, 'shop').flatMap(({ wantedSeq }) => wantedSeq ?? []),
      ),
    ).to.deep.equal([1, 2, 3])
  })

  it('A65 G24 has an end', () => {
    const journal = memoryJournal()
    for (let version = 0; version <= keptEntries + 5; version += 1) keep(journal, String(version))
    expect(journal.versionEntries('prod', 'shop')).to.have.length(keptEntries)
    expect(shown(journal).at(-1)).to.equal(String(keptEntries + 5))
  })
})

describe('what people said about versions that wait', () => {
  const word = (version: string, parts: Partial<QueueWord> = {}): QueueWord => ({
    ...{ ...shop, site: 'local', version, entry: 1, word: 'forced', who: 'ann', atMs: 1 },
    ...parts,
  })
  const versions = (journal: Journal, site = 'local') =>
    journal.queueWords('prod', site).map(({ version, word }) => `${word} ${version}`)

  it('A66 is of one site, one word for each version, until the version is forced no longer', () => {
    const journal = memoryJournal()
    journal.sayOfQueue(word('1'))
    journal.sayOfQueue(word('1', { word: 'deleted' }))
    journal.sayOfQueue(word('1', { site: 'edge' }))
    expect([versions(journal), versions(journal, 'edge')]).to.deep.equal([['deleted 1'], ['forced 1']])
    journal.endForced({ ...shop, site: 'edge', version: '1' })
    journal.endForced({ ...shop, version: '1' })
    expect([versions(journal), versions(journal, 'edge')]).to.deep.equal([['deleted 1'], []])
  })

  it('A66 is forced no longer up to an entry: what was said of a later one stays', () => {
    const journal = memoryJournal()
    journal.sayOfQueue(word('1', { entry: 3 }))
    journal.sayOfQueue(word('1', { entry: 2, site: 'edge' }))
    journal.endForced({ ...shop, version: '1', entry: 2 })
    expect([versions(journal), versions(journal, 'edge')]).to.deep.equal([['forced 1'], []])
  })

  it('A66 G24 has an end: what was said about the oldest versions gives way', () => {
    const journal = memoryJournal()
    for (let entry = 1; entry <= 40; entry += 1) journal.sayOfQueue(word(String(entry), { entry }))
    const kept = versions(journal)
    expect([kept.length, kept.includes('forced 8'), kept.includes('forced 9')]).to.deep.equal([
      32,
      false,
      true,
    ])
  })
})
