import { expect } from 'chai'
import type { Journal } from '../../../../lib/journal/journal.ts'
import { optional } from '../../../../lib/object.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import type { ApplicationStatus } from '../../../../lib/reconcile/status/application/application-status.ts'
import { type LastState, stateAfter } from '../../../../lib/reconcile/status/last-state.ts'
import { desired, live } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'
import { manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const web: ApplicationStatus = {
  site: 'local',
  application: 'web',
  sync: 'Synced',
  health: 'Healthy',
  version: '1',
  running: 1,
  wanted: 1,
  commit: 'c1',
  reason: '',
}
const unreadable = {
  code: 'manifest-invalid',
  message: 'a.json:1:1: no',
  hint: 'Correct it.',
  retry: 'never',
} as const
const state = desired()
const { commit } = state.revision
const newer = '2'.repeat(40)

function result(parts: Partial<PassResult> = {}): PassResult {
  return { outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [web], ...parts }
}

const seen = result({ plan: planOf({ desired: state, live: live(state) }), desired: state })
const unread = result({ outcome: 'failed', sync: 'Unknown', errors: [unreadable], status: [] })

describe('the last known state', () => {
  const known: LastState = {
    outcome: 'in-sync',
    sync: 'Synced',
    revision: state.revision,
    errors: [],
    isSeen: true,
    applications: [web],
  }

  const nothing = { state: undefined, seenMs: undefined }
  const before = { state: known, seenMs: Date.parse('2026-01-01T00:00:00Z') }

  it('G13 is what the pass saw', () => {
    expect(stateAfter(nothing, seen, commit, 0)).to.deep.equal(known)
  })

  it('G13 stays what was known when a pass came to no plan, beside what went wrong and with which commit', () => {
    expect(stateAfter(before, unread, newer, 0)).to.deep.equal({
      ...known,
      outcome: 'failed',
      sync: 'Unknown',
      unread: newer,
      errors: [unreadable],
      isSeen: false,
    })
  })

  it('G13 G17 stays what was known of a site that does not answer, and says when that was seen', () => {
    const plan = {
      ...planOf({ desired: state, live: { site: 'store-2', containers: [] } }),
      unseen: ['local'],
    }
    const silent = result({ plan, desired: state, outcome: 'failed', sync: 'Unknown', status: [] })
    const old = {
      ...web,
      reason: 'the site does not answer',
      seenAt: '2026-01-01T00:00:00.000Z',
      since: '2026-01-01T12:00:00.000Z',
    }
    const after = stateAfter(before, silent, commit, Date.parse('2026-01-01T12:00:00Z'))
    expect([after?.isSeen, after?.applications]).to.deep.equal([false, [old]])
    const later = { state: after, seenMs: Date.parse('2026-01-02T00:00:00Z') }
    const other = { ...web, site: 'store-2' }
    const one = stateAfter(later, { ...silent, status: [other] }, commit, 0)
    expect([one?.isSeen, one?.applications]).to.deep.equal([true, [other, old]])
    expect(stateAfter(later, seen, commit, 0)?.applications, 'it answers again').to.deep.equal([web])
  })

  it('A34 G13 says of an application on a silent site that it waits for the site, whatever it waited for before', () => {
    const plan = {
      ...planOf({ desired: state, live: { site: 'store-2', containers: [] } }),
      unseen: ['local'],
    }
    const silent = result({ plan, desired: state, outcome: 'unreachable', sync: 'Unknown', status: [] })
    const waits = {
      ...web,
      reason: 'waits for its turn',
      code: 'not-its-turn',
      until: '2026-02-01T00:00:00.000Z',
    } as const
    const queued = { ...before, state: { ...known, applications: [waits] } }
    const [one] = stateAfter(queued, silent, commit, 0)?.applications ?? []
    expect(one?.reason).to.equal('the site does not answer')
    expect(one).not.to.have.any.keys('code', 'until')
  })

  it('G13 A34 tells of a silent site which version is wanted there by now, and not that it is in sync with another', () => {
    const silent = (tag: string) => {
      const state = desired({ tag })
      const plan = { ...planOf({ desired: state, live: live(state) }), unseen: ['local'] }
      return result({ plan, desired: state, outcome: 'unreachable', sync: 'Unknown', status: [] })
    }
    const told = (state: LastState | undefined) =>
      state?.applications.map(one => `${one.sync} ${one.version} → ${one.wantedVersion ?? ''}`)
    const same = stateAfter(before, silent('1'), commit, 0)
    expect(told(same)).to.deep.equal(['Synced 1 → '])
    const other = stateAfter(before, silent('2'), commit, 0)
    expect(told(other), 'wanted as it goes away').to.deep.equal(['OutOfSync 1 → 2'])
    const later = stateAfter({ ...before, state: same }, silent('2'), commit, 0)
    expect(told(later), 'wanted since').to.deep.equal(['OutOfSync 1 → 2'])
    expect(later?.applications[0]).to.include({ reason: 'the site does not answer' })
    const third = stateAfter({ ...before, state: later }, silent('3'), commit, 0)
    expect(told(third)).to.deep.equal(['OutOfSync 1 → 3'])
    const again = stateAfter({ ...before, state: third }, silent('1'), commit, 0)
    expect(told(again), 'nobody looked whether all of it is as wanted').to.deep.equal(['Unknown 1 → '])
    const queue = [{ version: '2', state: 'next' }] as const
    const waits = {
      ...known,
      applications: [{ ...web, sync: 'OutOfSync', wantedVersion: '2', queue }],
    } as const
    const queued = (tag: string) => stateAfter({ ...before, state: waits }, silent(tag), commit, 0)
    expect(queued('2')?.applications[0]).to.deep.include({ wantedVersion: '2', queue })
    expect(queued('3')?.applications[0], 'they waited on the way to another').not.to.have.any.keys('queue')
  })

  it('G13 says since when an application is held: since it was first found so, with that version wanted', () => {
    const held = { ...web, code: 'window-closed', reason: 'waits', wantedVersion: '2' } as const
    const found = (one: ApplicationStatus) => ({ ...seen, status: [one] })
    const sinceOf = (state: LastState | undefined) => state?.applications[0]?.since
    const first = stateAfter(nothing, found(held), commit, 1_000)
    expect(sinceOf(first)).to.equal('1970-01-01T00:00:01.000Z')
    const known = { state: first, seenMs: 1_000 }
    expect(sinceOf(stateAfter(known, found(held), commit, 2_000))).to.equal('1970-01-01T00:00:01.000Z')
    expect(sinceOf(stateAfter(known, found({ ...held, wantedVersion: '3' }), commit, 2_000))).to.equal(
      '1970-01-01T00:00:02.000Z',
    )
    expect(sinceOf(stateAfter(known, found(web), commit, 2_000))).to.equal(undefined)
  })

  it('A34 says of a site that is not reached since when, until it answers', () => {
    const [first, later] = ['2026-01-03T00:00:00.000Z', '2026-01-04T00:00:00.000Z'].map(Date.parse)
    const error = {
      code: 'engine-unreachable',
      message: 'local: no',
      hint: 'Look.',
      retry: 'backoff',
    } as const
    const silent = result({
      outcome: 'unreachable',
      status: [],
      unreachable: [{ ...error, resource: 'local' }],
    })
    const { code, message, hint } = error
    const shown = [{ site: 'local', since: '2026-01-03T00:00:00.000Z', code, message, hint }]
    const once = stateAfter(before, silent, commit, first ?? 0)
    expect(once?.unreachable).to.deep.equal(shown)
    const again = stateAfter({ state: once, seenMs: before.seenMs }, silent, commit, later ?? 0)
    expect(again?.unreachable).to.deep.equal(shown)
    const lost = { ...seen, ...silent, ...optional('plan', seen.plan) }
    const then = stateAfter({ state: again, seenMs: before.seenMs }, lost, commit, later ?? 0)
    const since = '2026-01-04T00:00:00.000Z'
    expect(then?.unreachable, 'this pass saw it').to.deep.equal([{ ...shown[0], since }])
    expect(stateAfter({ state: again, seenMs: before.seenMs }, seen, commit, later ?? 0)).to.deep.equal(known)
  })

  it('G13 names the newest commit also when the last good one was kept in its place', () => {
    expect(stateAfter(before, { ...seen, outcome: 'failed', errors: [unreadable] }, newer, 0)).to.deep.equal({
      ...known,
      outcome: 'failed',
      unread: newer,
      errors: [unreadable],
    })
  })

  it('G13 names no other commit while nothing is wrong', () => {
    expect(stateAfter(before, seen, newer, 0)).to.deep.equal(known)
    const failed = { ...seen, outcome: 'failed', errors: [unreadable] } as const
    expect(stateAfter(before, failed, commit, 0), 'it is the newest one that failed').to.deep.equal({
      ...known,
      outcome: 'failed',
      errors: [unreadable],
    })
  })

  it('G12 is not told by a pass that was cut off', () => {
    expect(stateAfter(before, { ...unread, outcome: 'interrupted' }, newer, 0)).to.equal(undefined)
  })

  it('G13 A11 is told of a site that has everything as wanted without reading what was known before', async () => {
    const files = {
      ...manifestOf('prod', { web: '1', shop: '1' }, { skipConfirmation: true }),
      'deployments/web.yaml': 'name: web\napplication: web\nplacement: {all-sites: true}\n',
    }
    const journal = memoryJournal()
    let reads = 0
    const counting: Journal = {
      ...journal,
      keptState(environment, site) {
        if (site !== '') reads += 1
        return journal.keptState(environment, site)
      },
    }
    await using daemon = await memoryDaemon({ files, journal: counting })
    await daemon.pass()
    await daemon.pass()
    expect(daemon.results()[0]?.outcome).to.equal('in-sync')
    reads = 0
    await daemon.pass()
    expect(reads).to.equal(0)
  })
})
