import { expect } from 'chai'
import type { Journal } from '../../../../../lib/journal/journal.ts'
import { diff } from '../../../../../lib/plan/compare/diff.ts'
import type { MadeVolume } from '../../../../../lib/plan/resources.ts'
import { learn } from '../../../../../lib/reconcile/site/record/learn.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { volumeMark } from '../../../../../lib/state/application/volume.ts'
import type { LiveState } from '../../../../../lib/state/running/live.ts'
import { desired, live } from '../../../../support/builders/builders.ts'
import { applicationReleaseOf, releaseOf } from '../../../../support/builders/planning.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'

describe('what is known of a site once another release is wanted than one that failed there', () => {
  const where = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
  const wanted = desired({ tag: '3' })

  /** What is approved after a look, if these releases were approved at these times, and the first one failed. */
  function approvedAfter(approvals: Readonly<Record<string, number>>): readonly string[] {
    const journal = memoryJournal()
    for (const [release, atMs] of Object.entries(approvals)) {
      const items = [{ resource: `web/${release}`, action: 'replace', release } as const]
      const parts = [{ site: 'local', planId: `plan ${release}`, commit: 'c1', items }]
      const said = { environment: 'prod', planId: 'p1', commit: 'c1', who: 'ann', via: 'control' } as const
      journal.approve({ ...said, parts, atMs, expiresAtMs: 1_000 })
    }
    journal.beginAttempt({ ...where, target: 'bad', release: 'bad', atMs: 20 })
    journal.attemptFailed(where)
    const reason = { code: 'exited-early', message: 'exited with code 1' }
    journal.quarantine({ ...where, target: 'bad', release: 'bad', commit: 'c1', reason, atMs: 40 })
    const attempts = journal.attempts('prod', 'local')
    const past = { applied: new Map(), attempts, untouched: new Set<string>() }
    const found = diff(wanted, live(desired({ tag: '1' })), past)
    learn(journal, () => undefined, { desired: wanted, diff: found, past }, 50)
    expect(journal.quarantined('prod'), 'its quarantine ends').to.deep.equal([])
    return journal.approvals('prod', 'local', 50).map(({ release }) => release)
  }

  it('X18 D4 no approval is left that was given before that began', () => {
    expect(approvedAfter({ bad: 10, sibling: 15 })).to.deep.equal([])
  })

  it('X18 D4 what was approved while that was on its way, to correct it, stays approved', () => {
    expect(approvedAfter({ bad: 10, correction: 30 })).to.deep.equal(['correction'])
  })
})

describe('what an earlier version recorded of a release, which did not say how volumes are made', () => {
  const where = { environment: 'prod', site: 'local', application: 'web', service: 'web' }
  const plain = desired({ exclusiveVolume: 'data' })
  const bound = desired({ exclusiveVolume: 'data', made: { driver: 'rexray' } })

  /** What stays on record of the plain release after a look at which this one is wanted, and runs. */
  function left(wanted: DesiredState): readonly [quarantined: number, troubles: number] {
    const journal = memoryJournal()
    const release = applicationReleaseOf(plain, 'web')
    const reason = { code: 'exited-early', message: 'exited with code 1' }
    journal.quarantine({ ...where, target: 'bad', release, commit: 'c1', reason, atMs: 40 })
    const failed = { code: 'job-failed', message: 'the post hook failed' }
    journal.setTrouble({ ...where, release: releaseOf(plain, 'web'), ...failed, atMs: 40 })
    const past = { applied: new Map(), attempts: new Map(), untouched: new Set<string>() }
    const found = diff(wanted, live(wanted), past)
    learn(journal, () => undefined, { desired: wanted, diff: found, past }, 50)
    return [journal.quarantined('prod').length, journal.troubles('prod').length]
  }

  it('D18 G5 G25 H30 is about the same release, however its volumes are made', () => {
    expect(left(plain)).to.deep.equal([1, 1])
    expect(left(bound)).to.deep.equal([1, 1])
    expect(left(desired({ exclusiveVolume: 'data', strategy: { healthyMs: 1 } }))).to.deep.equal([0, 0])
  })
})

describe('what is known of the volumes of a site', () => {
  const wanted = desired({ exclusiveVolume: 'data' })
  const asked = { name: 'data', driver: 'local', driverOptions: {} }

  /** What is on record of them after looks that saw these. */
  function knownAfter(...looks: readonly (readonly MadeVolume[] | undefined)[]) {
    const journal = memoryJournal()
    for (const made of looks) {
      const past = { applied: journal.applied('prod'), attempts: new Map(), untouched: new Set<string>() }
      const found = diff(wanted, live(wanted), past)
      learn(journal, entry => journal.setApplied(entry), { desired: wanted, diff: found, past, made }, 50)
    }
    return journal.applied('prod').get('local/web/web')?.volumes
  }

  it('D4 is how they are made where something runs as wanted, whatever their options are wanted to be', () => {
    const driverOptions = { type: 'nfs', o: 'addr=10.0.0.1', device: ':/data' }
    const mark = volumeMark({ driverOptions })
    expect(knownAfter([asked])).to.deep.equal({ data: '' })
    expect(knownAfter([{ ...asked, driverOptions }])).to.deep.equal({ data: mark })
    expect(knownAfter([asked], [{ ...asked, driverOptions }])).to.deep.equal({ data: mark })
  })

  it('D4 stays while nobody looks, and is nothing of volumes that it does not have', () => {
    expect(knownAfter([asked], undefined, [])).to.deep.equal({ data: '' })
    expect(knownAfter([{ ...asked, name: 'other' }])).to.equal(undefined)
  })
})

describe('what a site is known to have after a commit', () => {
  const before = desired({ name: 'web' }, { name: 'api' })
  const later = {
    ...desired({ name: 'web', tag: '2' }, { name: 'api' }),
    revision: { ...before.revision, commit: 'c2' },
  }

  /** What is on record of `local` once it was looked at, of each service with its commit and the time. */
  function recorded(journal: Journal, wanted: DesiredState, running: LiveState, atMs: number) {
    const applied = journal.applied('prod', 'local')
    const past = { applied, attempts: new Map(), untouched: new Set<string>() }
    const found = diff(wanted, running, past)
    learn(journal, entry => journal.setApplied(entry), { desired: wanted, diff: found, past }, atMs)
    return [...journal.applied('prod')].map(
      ([key, { commit, atMs }]) => `${key} ${commit.slice(0, 6)} ${atMs}`,
    )
  }

  it('D15 X19 is of that commit where this changes nothing, and of the one before where it does, on that site alone', () => {
    const journal = memoryJournal()
    journal.setApplied({
      ...{ environment: 'prod', site: 'south', application: 'api', service: 'api' },
      ...{ target: 'as it was', commit: 'c0ffee', atMs: 5 },
    })
    expect(recorded(journal, before, live(before), 10)).to.have.members([
      'local/api/api c0ffee 10',
      'local/web/web c0ffee 10',
      'south/api/api c0ffee 5',
    ])
    const targets = journal.applied('prod', 'local')
    expect(recorded(journal, later, live(before), 20)).to.have.members([
      'local/api/api c2 20',
      'local/web/web c0ffee 10',
      'south/api/api c0ffee 5',
    ])
    expect(journal.applied('prod', 'local').get('local/api/api')?.target).to.equal(
      targets.get('local/api/api')?.target,
    )
  })
})
