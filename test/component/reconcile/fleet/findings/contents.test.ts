import { expect } from 'chai'
import type { ChangeResult } from '../../../../../lib/apply/apply.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { changedAfter, contentsAfter } from '../../../../../lib/reconcile/fleet/findings/contents.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { change } from '../../../../support/builders/builders.ts'
import { manifestOf, memoryDaemon } from '../../../../support/memory/memory-daemon.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

const synced: ApplicationStatus = {
  ...{ site: 'a', application: 'shop', sync: 'Synced', health: 'Healthy', version: '2' },
  ...{ running: 1, wanted: 1, commit: '', reason: '' },
}
const otherVersion: ApplicationStatus = { ...synced, sync: 'OutOfSync', version: '1', wantedVersion: '2' }
const otherContent: ApplicationStatus = { ...synced, sync: 'OutOfSync', otherContent: true }
const drifted: ApplicationStatus = { ...synced, sync: 'OutOfSync', health: 'Degraded' }

/** What is known after a pass that went by content `c2`. */
const known = (
  before: string | undefined,
  status: ApplicationStatus,
  ...results: readonly ChangeResult[]
): string | undefined =>
  contentsAfter(() => (before === undefined ? undefined : { shop: before }), {
    ...{ contents: new Map([['shop', 'c2']]), status: [status], results },
  })?.shop

describe('in which content an application is in place on a site', () => {
  const [own, failure] = [change({ application: 'shop' }), new Failure('exited-early', 'it ended')]

  it('A11 is known once a pass finds it as wanted', () => {
    expect([known(undefined, synced), known('c1', synced)]).to.deep.equal(['c2', 'c2'])
  })

  it('A11 A12 stays known while another version, content or repair is still to come', () => {
    for (const status of [otherVersion, otherContent, drifted]) expect(known('c1', status)).to.equal('c1')
    expect(known('c2', drifted)).to.equal('c2')
  })

  it('A11 is not known where something was changed and nobody has looked at it since, or something else is there', () => {
    expect(known('c1', synced, { change: own, result: 'applied' })).to.equal(undefined)
    expect(known('c1', otherContent, { change: own, result: 'failed', failure })).to.equal(undefined)
    expect(known('c2', otherContent)).to.equal(undefined)
  })

  it('A33 is that of before where a release was put back', () => {
    expect(known('c1', otherVersion, { change: own, result: 'rolled-back', failure })).to.equal('c1')
  })

  it('A31 what was changed counts as that until a pass sees it, and says something of it', () => {
    const before = () => ['shop', 'blog']
    const results = [{ change: own, result: 'applied' as const }]
    expect(changedAfter(before, { results: [] }), 'nothing was seen').to.deep.equal(['shop', 'blog'])
    expect(changedAfter(before, { results: [], seenMs: 5 })).to.equal(undefined)
    expect(changedAfter(before, { results, seenMs: 5 })).to.deep.equal(['shop'])
    const saysNothingOf = (name: string) => name === 'blog'
    expect(changedAfter(before, { results: [], seenMs: 5, saysNothingOf })).to.deep.equal(['blog'])
    const rolledBack = [{ change: own, result: 'rolled-back' as const, failure }]
    expect(changedAfter(before, { results: rolledBack, seenMs: 5 }), 'it is as before').to.equal(undefined)
  })

  it('G24 is read from the journal as often for many applications that are not as wanted as for two', async () => {
    expect(await readsIn(40)).to.equal(await readsIn(2))
  })
})

/** How often the first pass over so many applications, which all wait for confirmation, reads what was known of a site. */
async function readsIn(applications: number): Promise<number> {
  let reads = 0
  const journal = memoryJournal()
  const counting: typeof journal = {
    ...journal,
    keptState: (environment, site) => {
      reads += 1
      return journal.keptState(environment, site)
    },
  }
  const names = Array.from({ length: applications }, (_, index) => [`a${index}`, '1'] as const)
  await using daemon = await memoryDaemon({
    files: manifestOf('prod', Object.fromEntries(names)),
    journal: counting,
  })
  await daemon.pass()
  expect(daemon.results()[0]?.status.map(({ sync }) => sync)).to.deep.equal(names.map(() => 'OutOfSync'))
  return reads
}
