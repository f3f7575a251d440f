import { expect } from 'chai'
import { keptAbsent } from '../../../../lib/journal/fleet/absent-versions.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const shop = { environment: 'prod', application: 'shop' }

/** A journal in which commits wanted these versions, one after the other; `?`: one that could not be had. */
function wanting(...versions: readonly string[]) {
  const journal = memoryJournal()
  for (const version of versions) want(journal, version)
  return journal
}

function want(journal: ReturnType<typeof memoryJournal>, written: string): void {
  const wanted = { ...shop, version: written.replace('?', ''), atMs: 1 }
  if (written.endsWith('?')) journal.wantAbsent(wanted)
  else journal.wantVersion(wanted)
}

function seqs(journal: ReturnType<typeof memoryJournal>): string {
  const all = [...journal.versionEntries('prod', 'shop'), ...journal.absentVersions('prod', 'shop')]
  return all.map(({ version, wantedSeq }) => `${version} at ${wantedSeq}`).join(', ')
}

describe('the versions that were wanted and could not be had', () => {
  it('X18 A65 enter no queue, and come in one order with those that could', () => {
    expect(seqs(wanting('1', '2?', '3'))).to.equal('1 at 1, 3 at 3, 2 at 2')
    expect(
      wanting('1', '2?')
        .versionEntries('prod', 'shop')
        .map(({ version }) => version),
    ).to.deep.equal(['1'])
  })

  it('X18 A65 let the version before them be wanted anew, in its place', () => {
    expect(seqs(wanting('1', '2?', '1'))).to.equal('1 at 3, 2 at 2')
  })

  it('X18 are noted once, as long as nothing else is wanted', () => {
    expect(seqs(wanting('1', '2?', '2?', '2?'))).to.equal('1 at 1, 2 at 2')
    expect(seqs(wanting('1', '2?', '1', '1', '2?'))).to.equal('1 at 3, 2 at 4')
    expect(seqs(wanting('1', '2?', '3?', '2?'))).to.equal('1 at 1, 3 at 3, 2 at 4')
  })

  it('X18 are what their applications want last until one is wanted that can be had', () => {
    const journal = wanting('1', '2?', '3?')
    const wanted = () => [...journal.absentWanted('prod')]
    expect(wanted()).to.deep.equal([['shop', '3']])
    journal.wantVersion({ ...shop, application: 'blog', version: '1', atMs: 1 })
    expect(wanted()).to.deep.equal([['shop', '3']])
    want(journal, '3')
    expect(wanted()).to.deep.equal([])
    expect([...journal.absentWanted('test')]).to.deep.equal([])
  })

  it('X18 G24 are kept up to a number of an application, the last ones', () => {
    const all = Array.from({ length: keptAbsent + 3 }, (_, at) => `${at}?`)
    const kept = wanting(...all).absentVersions('prod', 'shop')
    expect(kept.map(({ version }) => `${version}?`)).to.deep.equal(all.slice(3))
  })
})
