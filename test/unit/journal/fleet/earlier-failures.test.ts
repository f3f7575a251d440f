import { expect } from 'chai'
import { migrations } from '../../../../lib/journal/store/migrations.ts'
import { earlierJournal } from '../../../support/memory/memory-journal.ts'

/** A journal in which an earlier version had these rows. */
function updated(rows: string) {
  const at = migrations.findIndex(one => one.includes('ALTER TABLE release_entry ADD COLUMN wanted_seq'))
  return earlierJournal(at, old => old.exec(rows))
}

describe('journal: versions that failed under an earlier Tallyman', () => {
  it('A65 G5 are known by what was kept of their commit, and all that entered was wanted', () => {
    const journal = updated(`
      INSERT INTO kept_release (environment, application, version, commit_id, mark, images, paths, at)
        VALUES ('prod', 'web', '2.0', 'c2', 'two', '[]', '"any"', 1), ('prod', 'api', '2.0', 'c2', 'other', '[]', '"any"', 1);
      INSERT INTO release_entry (environment, application, version, at) VALUES ('prod', 'web', '2.0', 1);
      INSERT INTO quarantine (environment, site, application, service, target, commit_id, code, message, at, release)
        VALUES ('prod', 'a', 'web', 'web', 't', 'c2', 'exited-early', 'exited', 2, 'r'),
          ('prod', 'b', 'web', 'web', 't', 'c3', 'exited-early', 'exited', 2, 'r');
    `)
    expect(journal.quarantined('prod').map(({ site, mark }) => [site, mark])).to.deep.equal([
      ['a', 'two'],
      ['b', undefined],
    ])
    expect(journal.versionEntries('prod', 'web')).to.deep.equal([
      { number: 1, version: '2.0', atMs: 1, wantedSeq: 1, kept: { commit: 'c2', mark: 'two', paths: 'any' } },
    ])
  })

  it('A12 A65 what came after the version that a deployment names was not wanted, so that it is not taken back', () => {
    const journal = updated(`
      INSERT INTO release_entry (environment, application, version, at) VALUES
        ('prod', 'web', '1.0', 1), ('prod', 'web', '2.0', 2), ('prod', 'web', '1.0', 3), ('prod', 'web', '3.0', 4),
        ('prod', 'web', '4.0', 5), ('prod', 'api', '1.0', 6), ('prod', 'api', '2.0', 7), ('prod', 'gone', '8.0', 8),
        ('prod', 'gone', '9.0', 9), ('devel', 'web', '1.0', 10), ('devel', 'web', '2.0', 11);
      INSERT INTO placement (environment, deployment, body, sites, canaries) VALUES
        ('prod', 'everywhere', '{"name": "everywhere", "application": "web", "version": "1.0"}', '[]', '[]'),
        ('prod', 'api', '{"name": "api", "application": "api"}', '[]', '[]'),
        ('prod', 'gone', '{"name": "gone", "application": "gone", "version": "7.0"}', '[]', '[]');
    `)
    const entries = (environment: string, application: string) =>
      journal
        .versionEntries(environment, application)
        .map(({ version, isUnwanted }) => `${version}${isUnwanted ? ' unwanted' : ''}`)
    expect(entries('prod', 'web')).to.deep.equal(['1.0', '2.0', '1.0', '3.0 unwanted', '4.0 unwanted'])
    for (const [environment, application] of [
      ['prod', 'api'],
      ['prod', 'gone'],
      ['devel', 'web'],
    ] as const)
      expect(entries(environment, application).join(), application).not.to.include('unwanted')
    journal.wantVersion({ environment: 'prod', application: 'web', version: '1.0', atMs: 9 })
    expect(entries('prod', 'web')).to.have.length(5)
    journal.wantVersion({ environment: 'prod', application: 'web', version: '4.0', atMs: 10 })
    const seqs = journal.versionEntries('prod', 'web').map(({ wantedSeq }) => wantedSeq)
    expect(seqs).to.deep.equal([1, 2, 3, undefined, 12])
  })
})
