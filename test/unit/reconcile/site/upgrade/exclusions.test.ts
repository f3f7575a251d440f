import { expect } from 'chai'
import { exclusionsIn } from '../../../../../lib/reconcile/site/upgrade/exclusions.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const hour = 3_600_000

/** Versions of `shop` that come, and fail on a site, at any time of day. */
function scene() {
  const journal = memoryJournal()
  const of = { environment: 'prod', application: 'shop' }
  return {
    comes(version: string, atMs: number) {
      const kept = { commit: version, mark: version, images: [], paths: 'any' as const }
      journal.keepVersion({ ...of, version, ...kept, atMs })
      journal.wantVersion({ ...of, version, atMs })
    },
    fails(version: string, atMs: number) {
      const reason = { code: 'unhealthy', message: 'it is not healthy' }
      const key = { ...of, site: 'local', service: 'web', target: version, release: version }
      journal.quarantine({ ...key, commit: version, mark: version, reason, atMs })
    },
    /** The versions that are not tried again on the site. */
    failed(): readonly string[] {
      const barOf = exclusionsIn(
        {
          words: [],
          quarantined: journal.quarantined('prod', 'local'),
          entriesOf: name => journal.versionEntries('prod', name),
          endedOf: () => new Map(),
        },
        'shop',
      )
      return journal
        .versionEntries('prod', 'shop')
        .filter(one => barOf(one)?.is === 'failed')
        .map(({ version }) => version)
    },
  }
}

describe('versions of a queue that failed on a site', () => {
  for (const [clock, cameMs, failedMs, laterMs] of [
    ['is right', 10 * hour, 11 * hour, 12 * hour],
    ['was ahead when they came', 14 * hour, 11 * hour, 12 * hour],
    ['was ahead when they failed', 10 * hour, 14 * hour, 12 * hour],
  ] as const)
    describe(`where the clock ${clock}`, () => {
      it('A65 G5 are not tried in turn for ever: the last one goes first, and fails with the one before it', () => {
        const { comes, fails, failed } = scene()
        comes('2.1', cameMs)
        comes('2.2', cameMs + 1)
        fails('2.2', failedMs)
        expect(failed()).to.deep.equal(['2.2'])
        fails('2.1', failedMs + 1)
        expect(failed()).to.deep.equal(['2.1', '2.2'])
      })

      it('A65 D18 say nothing of their correction, which comes after them', () => {
        const { comes, fails, failed } = scene()
        comes('2.1', cameMs)
        fails('2.1', failedMs)
        comes('2.2', laterMs)
        expect(failed()).to.deep.equal(['2.1'])
      })
    })
})
