import { expect } from 'chai'
import { versionLines } from '../../../../lib/cli/text/version-text.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { versionList } from '../../../../lib/reconcile/status/version-list.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

/** The versions 1 to 3 of `web`, of which the sites run these. */
function journalWith(sites: Readonly<Record<string, string>>): Journal {
  const journal = memoryJournal()
  for (const version of ['1', '2', '3'])
    journal.keepVersion({
      ...{ environment: 'prod', application: 'web', version, commit: version.repeat(40) },
      ...{ mark: '', images: [], atMs: Number(version) * 1000 },
    })
  for (const [site, version] of Object.entries(sites))
    journal.keepState('prod', site, {
      ...{ outcome: 'applied', sync: 'Synced', errors: [], isSeen: true },
      applications: [{ site, application: 'web', version, running: 1 }],
    })
  return journal
}

describe('the versions of an application', () => {
  it('A6 G13 are those that are kept, newest first, each with the sites that run it', () => {
    const journal = journalWith({ east: '3', north: '0', west: '2' })
    expect(versionList(journal, 'prod', 'web')).to.deep.equal({
      environment: 'prod',
      application: 'web',
      wanted: '3',
      versions: [
        { version: '3', commit: '3'.repeat(40), since: '1970-01-01T00:00:03.000Z', sites: ['east'] },
        { version: '2', commit: '2'.repeat(40), since: '1970-01-01T00:00:02.000Z', sites: ['west'] },
        { version: '1', commit: '1'.repeat(40), since: '1970-01-01T00:00:01.000Z', sites: [] },
      ],
      others: [{ version: '0', sites: ['north'] }],
    })
  })

  it('A6 G13 have none that is wanted once nothing in the newest commit names the application', () => {
    const journal = journalWith({})
    const revision = {
      ref: 'main',
      commit: '4'.repeat(40),
      author: 'ann',
      subject: 's',
      time: '1970-01-01T00:00:04Z',
    }
    const wantedIf = (applications: readonly string[]) => {
      journal.setLastGood('prod', { commit: revision.commit, revision, applications })
      const { wanted, isNamed } = versionList(journal, 'prod', 'web')
      return { wanted, isNamed }
    }
    expect(wantedIf(['api', 'web'])).to.deep.equal({ wanted: '3', isNamed: undefined })
    expect(wantedIf(['api'])).to.deep.equal({ wanted: undefined, isNamed: false })
    expect(versionLines(versionList(journal, 'prod', 'web')).at(-1)).to.equal(
      '  neither the manifest nor a deployment names it any more',
    )
  })

  it('A6 A33 G13 say whose deployment failed, and from which one somebody went back', () => {
    const journal = journalWith({})
    const of = { environment: 'prod', application: 'web' }
    const run = journal.beginRun({ ...of, deployment: 'web', version: '2', content: '', seed: 1, atMs: 1 })
    journal.addFact(run.id, { kind: 'failed', atMs: 2, site: 'lab', reason: 'it crashed' })
    journal.leaveVersions({ ...of, version: '2', atMs: 3 })
    const { versions } = versionList(journal, 'prod', 'web')
    expect(versions.map(({ version, ended, isLeft }) => [version, ended, isLeft])).to.deep.equal([
      ['3', undefined, true],
      ['2', 'failed on lab', undefined],
      ['1', undefined, undefined],
    ])
  })

  it('A6 G13 say which one has only failed', () => {
    const journal = journalWith({ east: '3', west: '2' })
    journal.noteVersionFailed({ environment: 'prod', application: 'web', version: '3' })
    const { versions } = versionList(journal, 'prod', 'web')
    expect(
      versions.map(({ version, sites, hasOnlyFailed }) => [version, sites, hasOnlyFailed]),
    ).to.deep.equal([
      ['3', ['east'], true],
      ['2', ['west'], undefined],
      ['1', [], undefined],
    ])
  })

  it('A12 G13 say at which one the application is held, by whom and why', () => {
    const journal = journalWith({ local: '3' })
    journal.holdVersion({
      ...{ environment: 'prod', application: 'web', version: '2', commit: '2'.repeat(40) },
      ...{ reason: 'it leaks', who: 'ann', atMs: 4000 },
    })
    const { wanted, held } = versionList(journal, 'prod', 'web')
    expect([wanted, held]).to.deep.equal([
      '2',
      {
        ...{ version: '2', commit: '2'.repeat(40), reason: 'it leaks', who: 'ann' },
        since: '1970-01-01T00:00:04.000Z',
      },
    ])
  })

  it('A6 G13 are none where manifests are read from a directory, and what runs there is said all the same', () => {
    const journal = memoryJournal()
    const revision = { commit: 'worktree-0123456789ab', ref: '', author: '', subject: '', time: '' }
    journal.keepState('prod', 'local', {
      ...{ outcome: 'applied', sync: 'Synced', errors: [], isSeen: true, revision },
      applications: [{ site: 'local', application: 'web', version: '1', running: 1 }],
    })
    expect(versionList(journal, 'prod', 'web')).to.deep.equal({
      ...{ environment: 'prod', application: 'web', isOfDirectory: true, versions: [] },
      others: [{ version: '1', sites: ['local'] }],
    })
  })
})
