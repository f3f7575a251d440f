import { expect } from 'chai'
import { openJournal } from '../../../lib/journal/journal.ts'
import { ofConfiguration } from '../../../lib/state/image/resolutions.ts'
import { revision, runPass } from '../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('journal: what it remembers', () => {
  const web = { environment: 'prod', site: 'local', application: 'shop', service: 'web' }

  it('remembers what each service was last brought to, until it is removed', () => {
    const journal = memoryJournal()
    journal.setApplied({ ...web, target: 'target-1', commit: 'c1', atMs: 1_000 })
    journal.setApplied({ ...web, target: 'target-2', commit: 'c2', atMs: 2_000 })
    expect([...journal.applied('prod')]).to.deep.equal([
      ['local/shop/web', { target: 'target-2', commit: 'c2', atMs: 2_000 }],
    ])
    journal.forgetApplied(web)
    expect(journal.applied('prod').size).to.equal(0)
  })

  it('D4 remembers how its volumes were made, also with its next target, until it is removed', () => {
    const journal = memoryJournal()
    const volumes = () => journal.applied('prod').get('local/shop/web')?.volumes
    journal.noteVolumes(web, { data: 'mark-1' })
    expect(volumes(), 'of something that was never applied').to.equal(undefined)
    journal.setApplied({ ...web, target: 'target-1', commit: 'c1', atMs: 1_000 })
    expect(volumes()).to.equal(undefined)
    journal.noteVolumes(web, { data: 'mark-1', logs: '' })
    journal.noteVolumes({ ...web, service: 'db' }, { data: 'mark-9' })
    journal.setApplied({ ...web, target: 'target-2', commit: 'c2', atMs: 2_000 })
    journal.noteVolumes(web, { data: 'mark-2' })
    expect(volumes()).to.deep.equal({ data: 'mark-2', logs: '' })
    journal.forgetApplied(web)
    journal.setApplied({ ...web, target: 'target-2', commit: 'c2', atMs: 3_000 })
    expect(volumes()).to.equal(undefined)
  })

  it('X9 resolves a tag once per commit, and keeps to the first answer', () => {
    const { resolutions } = memoryJournal()
    resolutions.remember({ reference: 'web:1', commit: 'c1', digest: 'sha256:aa' })
    resolutions.remember({ reference: 'web:1', commit: 'c1', digest: 'sha256:bb' })
    expect(resolutions.find({ reference: 'web:1', commit: 'c1' })).to.equal('sha256:aa')
    expect(resolutions.find({ reference: 'web:1', commit: 'c2' })).to.equal(undefined)
    expect(resolutions.find({ reference: 'web:2', commit: 'c1' })).to.equal(undefined)
  })

  it('D5 keeps a verified pair of reference and digest for every commit', () => {
    const { resolutions } = memoryJournal()
    resolutions.remember({ reference: 'web:1', expected: 'sha256:aa', commit: 'c1', digest: 'sha256:aa' })
    expect(resolutions.find({ reference: 'web:1', expected: 'sha256:aa', commit: 'c9' })).to.equal(
      'sha256:aa',
    )
    expect(resolutions.find({ reference: 'web:1', expected: 'sha256:bb', commit: 'c9' })).to.equal(undefined)
    expect(resolutions.find({ reference: 'web:1', commit: 'c1' })).to.equal(undefined)
  })

  it('X9 D15 forgets tags of commits long gone, but never those of a commit that is in use', () => {
    const journal = memoryJournal()
    const { resolutions } = journal
    // The first is what an environment is at, the second what it fell back to, and the third what still runs.
    runPass(journal, { environment: 'frozen', commit: 'c1' })
    journal.setLastGood('prod', { commit: 'c2', revision: revision('c2') })
    journal.setApplied({ ...web, target: 'target-1', commit: 'c3', atMs: 1_000 })
    runPass(journal, { environment: 'prod', commit: 'c30' })
    for (let number = 1; number <= 30; number++) {
      resolutions.remember({ reference: 'web:1', commit: `c${number}`, digest: 'sha256:aa' })
    }
    const known = ['c1', 'c2', 'c3', 'c4', 'c10', 'c11', 'c30'].filter(
      commit => resolutions.find({ reference: 'web:1', commit }) !== undefined,
    )
    expect(known).to.deep.equal(['c1', 'c2', 'c3', 'c11', 'c30'])
  })

  it('X9 never forgets what a tag of an image was resolved to that the operator names, however many commits come', () => {
    const { resolutions } = memoryJournal()
    const sandbox = { reference: 'busybox:stable', commit: ofConfiguration }
    resolutions.remember({ ...sandbox, digest: 'sha256:aa' })
    for (let number = 1; number <= 30; number++)
      resolutions.remember({ reference: 'web:1', commit: `c${number}`, digest: 'sha256:bb' })
    expect(resolutions.find(sandbox)).to.equal('sha256:aa')
  })

  it('G7 remembers what an instance was made from', () => {
    const journal = memoryJournal()
    journal.rememberInstance('v1:ab', { containers: [{ name: 'web' }] })
    expect(journal.instance('v1:ab')).to.deep.equal({ containers: [{ name: 'web' }] })
    expect(journal.instance('v1:cd')).to.equal(undefined)
  })

  it('remembers the last revision of an environment that was understood', () => {
    const journal = memoryJournal()
    expect(journal.lastGood('prod')).to.equal(undefined)
    journal.setLastGood('prod', { commit: 'c1', revision: revision('c1') })
    journal.setLastGood('prod', { commit: 'c2', revision: revision('c2') })
    expect(journal.lastGood('prod')).to.deep.equal({ commit: 'c2', revision: revision('c2') })
  })

  it('has an identity of its own that stays', () => {
    const journal = openJournal(':memory:')
    expect(journal.identity()).to.match(/^[0-9a-f-]{36}$/)
    expect(journal.identity()).to.equal(journal.identity())
    expect(openJournal(':memory:').identity()).not.to.equal(journal.identity())
  })
})
