import { expect } from 'chai'
import type { KeptVersion } from '../../../../lib/journal/fleet/kept-versions.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

function keptVersion(version: string, parts: Partial<KeptVersion> = {}): KeptVersion {
  return {
    environment: 'prod',
    application: 'shop',
    version,
    commit: `commit-${version}`,
    mark: `mark-${version}`,
    images: [{ reference: `registry.example.com/shop:${version}`, digest: `sha256:${version}` }],
    atMs: 1,
    ...parts,
  }
}

describe('the versions that an application can be gone back to', () => {
  it('A6 are the four newest of each application, newest first', () => {
    const journal = memoryJournal()
    for (const version of ['1', '2', '3', '4', '5']) journal.keepVersion(keptVersion(version))
    journal.keepVersion(keptVersion('9', { application: 'blog' }))
    journal.keepVersion(keptVersion('9', { environment: 'test' }))
    expect(journal.keptVersions('prod', 'shop').map(({ version }) => version)).to.deep.equal([
      '5',
      '4',
      '3',
      '2',
    ])
    expect(journal.keptVersions('prod', 'shop')[0]).to.deep.equal(keptVersion('5'))
    expect(journal.keptVersions('prod', 'unknown')).to.deep.equal([])
    expect(journal.allKeptVersions('prod').map(({ application }) => application)).to.deep.equal([
      'blog',
      'shop',
      'shop',
      'shop',
      'shop',
    ])
  })

  it('A6 has each version once: what comes again is the newest, as it is then', () => {
    const journal = memoryJournal()
    for (const version of ['1', '2', '3']) journal.keepVersion(keptVersion(version))
    journal.keepVersion(keptVersion('1', { commit: 'again', insteadOf: 'commit-1' }))
    expect(
      journal.keptVersions('prod', 'shop').map(({ commit, insteadOf }) => [commit, insteadOf]),
    ).to.deep.equal([
      ['again', 'commit-1'],
      ['commit-3', undefined],
      ['commit-2', undefined],
    ])
  })

  it('A6 A12 have the one at which somebody holds the application, also right after that', () => {
    const journal = memoryJournal()
    const kept = () => journal.keptVersions('prod', 'shop').map(({ version }) => version)
    const of = { environment: 'prod', application: 'shop' }
    for (const version of ['1', '2']) journal.keepVersion(keptVersion(version))
    journal.holdVersion({ ...of, version: '1', commit: 'commit-1', reason: '', who: 'ann', atMs: 1 })
    for (const version of ['3', '4', '5']) journal.keepVersion(keptVersion(version))
    expect(kept()).to.deep.equal(['5', '4', '3', '2', '1'])
    journal.endHeldVersion('prod', 'shop')
    expect(kept()).to.deep.equal(['5', '4', '3', '2', '1'])
    journal.keepVersion(keptVersion('6'))
    expect(kept()).to.deep.equal(['6', '5', '4', '3'])
  })

  it('A6 tell which has only failed: it ran nowhere since it is as it is kept', () => {
    const journal = memoryJournal()
    const failed = () =>
      journal.keptVersions('prod', 'shop').flatMap(one => (one.hasOnlyFailed === true ? [one.version] : []))
    for (const version of ['1', '2']) journal.keepVersion(keptVersion(version))
    journal.noteVersionRuns(keptVersion('1'))
    for (const version of ['1', '2']) journal.noteVersionFailed(keptVersion(version))
    expect(failed()).to.deep.equal(['2'])
    journal.keepVersion(keptVersion('1', { mark: 'other' }))
    journal.noteVersionFailed(keptVersion('1', { environment: 'test' }))
    expect(failed(), 'nothing is known of another content').to.deep.equal(['2'])
    journal.noteVersionFailed(keptVersion('1'))
    expect(failed()).to.deep.equal(['1', '2'])
    journal.noteVersionRuns(keptVersion('2'))
    expect(failed()).to.deep.equal(['1'])
    for (const version of ['3', '1', '2'])
      journal.keepVersion(keptVersion(version, version === '1' ? { mark: 'other' } : {}))
    expect(failed(), 'what is wanted again as it was is known').to.deep.equal(['1'])
  })

  it('X8 need their commits, in whatever environment', () => {
    const journal = memoryJournal()
    journal.keepVersion(keptVersion('1'))
    journal.keepVersion(keptVersion('2', { environment: 'test', commit: 'commit-1' }))
    journal.keepVersion(keptVersion('3'))
    expect([...journal.keptCommits()].sort()).to.deep.equal(['commit-1', 'commit-3'])
  })

  it('X8 A6 keep the digests of their tags, however many commits come after them', () => {
    const journal = memoryJournal()
    const { resolutions } = journal
    const reference = 'registry.example.com/shop:1'
    resolutions.remember({ reference, digest: 'sha256:1', commit: 'commit-1' })
    resolutions.remember({ reference, digest: 'sha256:0', commit: 'commit-0' })
    journal.keepVersion(keptVersion('1'))
    for (let at = 0; at < 30; at += 1)
      resolutions.remember({ reference, digest: 'sha256:9', commit: `later-${at}` })
    expect(['commit-1', 'commit-0'].map(commit => resolutions.find({ reference, commit }))).to.deep.equal([
      'sha256:1',
      undefined,
    ])
  })
})
