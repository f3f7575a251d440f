import { expect } from 'chai'
import type { Problem } from '../../../../lib/errors.ts'
import type { Change } from '../../../../lib/plan/change/change.ts'
import type { StepEvent } from '../../../../lib/state/pass/step-event.ts'
import { repair, restoration } from '../../../support/builders/changes.ts'
import {
  change,
  container,
  event,
  plan,
  revision,
  runPass,
} from '../../../support/builders/journal-builders.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

describe('journal: history', () => {
  it('G25 tells of a pass who committed what, what was planned, how it ended and when', () => {
    const journal = memoryJournal()
    const id = journal.beginPass({ environment: 'prod', trigger: 'webhook', atMs: 1_000 })
    journal.setPlan(id, plan())
    journal.recordStep(id, event())
    journal.endPass(id, { outcome: 'applied', sync: 'Synced', atMs: 3_000 })
    expect(journal.log({ limit: 10 })).to.deep.equal([
      {
        passId: 1,
        environment: 'prod',
        trigger: 'webhook',
        startedAtMs: 1_000,
        endedAtMs: 3_000,
        repeats: 0,
        lastSeenAtMs: 3_000,
        revision: revision('c1'),
        planId: 'plan-1',
        outcome: 'applied',
        sync: 'Synced',
        planned: { create: 0, replace: 1, start: 0, remove: 0, drift: 0 },
        approvedBy: [],
      },
    ])
  })

  it('H7 G25 counts the hooks that failed and are ignored, and nothing else that was skipped or noted', () => {
    const journal = memoryJournal()
    const hook = (name: string, phase: StepEvent['phase']) => event({ step: `run-to-end ${name}`, phase })
    const passWith = (...events: readonly StepEvent[]) => {
      const id = journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1_000 })
      for (const one of events) journal.recordStep(id, one)
      journal.endPass(id, { outcome: 'applied', sync: 'Synced', atMs: 3_000 })
    }
    passWith(hook('prod.web.pre.1', 'skipped'), hook('prod.web.post.1', 'skipped'))
    passWith(
      hook('prod.web.pre.1', 'noted'),
      hook('prod.web.pre.1', 'done'),
      event({ step: 'remove-image web:1', phase: 'skipped' }),
    )
    expect(journal.log({ limit: 10 }).map(({ ignoredHooks }) => ignoredHooks)).to.deep.equal([undefined, 2])
  })

  it('A12 G25 counts the applications that were held at another version than that of the commit', () => {
    const journal = memoryJournal()
    const passWith = (...codes: readonly Problem['code'][]) => {
      const id = journal.beginPass({ environment: 'prod', trigger: 'poll', atMs: 1_000 })
      const warnings = codes.map(code => ({ code, message: 'web is not as the commit says' }))
      journal.setPlan(id, { ...plan({ changes: [change()], warnings }), revision: revision('c1') })
      journal.endPass(id, { outcome: 'applied', sync: 'Synced', atMs: 3_000 })
    }
    passWith('version-held', 'version-unchanged')
    passWith()
    expect(journal.log({ limit: 10 }).map(({ held }) => held)).to.deep.equal([undefined, 1])
  })

  it('D18 counts as drift what was changed from outside, and no way back to what ran before', () => {
    const journal = memoryJournal()
    const { lines } = change()
    const driftOf = (id: string, one: Change) => {
      runPass(journal, { plan: plan({ id, changes: [one] }) })
      return journal.log({ limit: 1 })[0]?.planned?.drift
    }
    expect([
      driftOf('outside', repair({ lines })),
      driftOf('superseded', repair({ lines, isWayBack: true })),
      driftOf('put-back', restoration({ lines })),
    ]).to.deep.equal([1, 0, 0])
  })

  it('G25 shows a pass whole: plan, digests before and after, every step with its duration', () => {
    const journal = memoryJournal()
    const warnings = [{ code: 'tag-unverified', message: 'web:2 could not be verified' }] as const
    const made = plan({ warnings })
    const events = [
      event(),
      event({ atMs: 1_700, phase: 'done', durationMs: 200.4 }),
      event({
        atMs: 1_900,
        phase: 'failed',
        durationMs: 12,
        error: { code: 'not-healthy', message: 'web.1: exited (1)' },
      }),
      event({ atMs: 2_000, stage: 'undo', phase: 'skipped' }),
    ]
    const id = runPass(journal, {
      plan: made,
      events,
      end: {
        outcome: 'rolled-back',
        sync: 'OutOfSync',
        error: {
          code: 'not-healthy',
          message: 'web.1: exited (1)',
          hint: 'See its log.',
          resource: 'shop/web',
        },
      },
    })
    const shown = journal.show(id)
    expect(shown?.plan).to.deep.equal(made)
    expect(shown?.digests).to.deep.equal([
      { site: 'local', application: 'shop', service: 'web', before: ['sha256:aa'], after: ['sha256:bb'] },
    ])
    expect(shown?.events).to.deep.equal([events[0], { ...events[1], durationMs: 200 }, events[2], events[3]])
    expect(shown?.eventCount).to.equal(4)
    expect(shown?.error).to.deep.equal({
      code: 'not-healthy',
      message: 'web.1: exited (1)',
      hint: 'See its log.',
      resource: 'shop/web',
    })
  })

  it('G25 takes the digest of a new service from the container it creates', () => {
    const journal = memoryJournal()
    const created = change({
      action: 'create',
      cause: 'missing',
      fields: [],
      stages: [
        [
          {
            do: 'create-container',
            container: 'prod.web.1.ab12cd34',
            placement: {
              application: 'shop',
              service: 'web',
              instance: 1,
              fingerprint: 'v1:ab',
              network: { name: 'prod' },
              attachments: [],
              aliases: ['web'],
              role: 'app',
              instanceName: 'prod.web.1.ab12cd34',
            },
            spec: container('sha256:cc'),
          },
        ],
      ],
    })
    const id = runPass(journal, { plan: plan({ changes: [created] }), end: { outcome: 'applied' } })
    expect(journal.show(id)?.digests).to.deep.equal([
      { site: 'local', application: 'shop', service: 'web', before: [], after: ['sha256:cc'] },
    ])
  })

  it('counts what a plan does by instance, without what is held', () => {
    const journal = memoryJournal()
    const changes = [
      change({
        service: 'a',
        lines: [
          { sign: '+', name: 'a.1', reason: 'missing' },
          { sign: '+', name: 'a.2', reason: 'missing' },
        ],
      }),
      change({ service: 'b', lines: [{ sign: '~', name: 'b.1', reason: 'stopped' }] }),
      change({ service: 'c', lines: [{ sign: '-', name: 'c.1', reason: 'not declared' }] }),
      change({ service: 'd', held: { code: 'suspended', reason: 'held' } }),
    ]
    runPass(journal, { plan: plan({ changes }), end: { outcome: 'applied' } })
    expect(journal.log({ limit: 1 })[0]?.planned).to.deep.equal({
      create: 2,
      replace: 0,
      start: 1,
      remove: 1,
      drift: 0,
    })
  })

  it('keeps a plan once for all passes that made it, each with its own revision', () => {
    const journal = memoryJournal()
    const first = runPass(journal, { plan: plan(), end: { outcome: 'failed' } })
    const second = runPass(journal, {
      plan: plan({ revision: revision('c2') }),
      end: { outcome: 'applied' },
    })
    expect(journal.show(first)?.plan?.revision.commit).to.equal('c1')
    expect(journal.show(second)?.plan?.revision.commit).to.equal('c2')
  })

  it('lists newest first, by environment, application, time, and page by page', () => {
    const journal = memoryJournal()
    const other = plan({ id: 'plan-2', changes: [change({ application: 'blog' })] })
    runPass(journal, { atMs: 1_000, plan: plan(), end: { outcome: 'applied' } })
    runPass(journal, { atMs: 2_000, plan: other, end: { outcome: 'applied' } })
    runPass(journal, { atMs: 3_000, environment: 'devel' })
    const ids = (query: Parameters<typeof journal.log>[0]) => journal.log(query).map(({ passId }) => passId)
    expect(ids({ limit: 10 })).to.deep.equal([3, 2, 1])
    expect(ids({ limit: 10, environment: 'prod' })).to.deep.equal([2, 1])
    expect(ids({ limit: 10, application: 'blog' })).to.deep.equal([2])
    expect(ids({ limit: 10, sinceMs: 2_000 })).to.deep.equal([3, 2])
    expect(ids({ limit: 1, beforePassId: 3 })).to.deep.equal([2])
    expect(ids({ limit: 10, afterPassId: 2 })).to.deep.equal([3])
    journal.beginPass({ environment: 'prod', site: 'edge', trigger: 'poll', atMs: 4_000 })
    expect(ids({ limit: 10, site: 'edge' })).to.deep.equal([4])
    expect([journal.knownSites('prod'), journal.knownSites('devel')]).to.deep.equal([
      ['edge', 'local'],
      ['local'],
    ])
  })

  it('G25 names who approved, also when what is left after a crash is another plan', () => {
    const journal = memoryJournal()
    const item = {
      resource: 'shop/web',
      action: 'replace',
      release: 'release-2',
    } as const
    journal.approve({
      environment: 'prod',
      planId: 'plan-1',
      commit: 'c1',
      who: 'ann',
      via: 'terminal',
      message: 'go',
      parts: [{ site: 'local', planId: 'plan-1', commit: 'c1', items: [item] }],
      atMs: 1_050,
      expiresAtMs: 9_000,
    })
    const begun = [change()]
    const left = [change({ action: 'start' })]
    runPass(journal, { plan: plan(), begun, end: { outcome: 'failed' } })
    runPass(journal, {
      ...{ atMs: 2_000, plan: plan({ id: 'what is left', changes: left }), begun: left },
      end: { outcome: 'applied' },
    })
    runPass(journal, { atMs: 10_000, plan: plan(), begun, end: { outcome: 'applied' } })
    const given = { who: 'ann', via: 'terminal', message: 'go', atMs: 1_050 }
    expect(journal.log({ limit: 10 }).map(({ approvedBy }) => approvedBy)).to.deep.equal([
      [],
      [given],
      [given],
    ])
  })

  it('G25 does not name who approved the same before something else was approved: a rollback waits for its own yes', () => {
    const journal = memoryJournal()
    const toRelease = (release: string) => plan({ id: `to ${release}`, changes: [change({ release })] })
    const to = (release: string) => ({ plan: toRelease(release), begun: [change({ release })] })
    const approve = (release: string, who: string, atMs: number) =>
      journal.approve({
        environment: 'prod',
        planId: `to ${release}`,
        commit: 'c1',
        who,
        via: 'control',
        parts: [
          {
            site: 'local',
            planId: `to ${release}`,
            commit: 'c1',
            items: [{ resource: 'shop/web', action: 'replace', release }],
          },
        ],
        atMs,
        expiresAtMs: 90_000,
      })
    approve('1', 'ann', 1_000)
    runPass(journal, { atMs: 1_100, ...to('1'), end: { outcome: 'applied' } })
    approve('2', 'bob', 2_000)
    runPass(journal, { atMs: 2_100, ...to('2'), end: { outcome: 'applied' } })
    runPass(journal, { atMs: 3_000, plan: toRelease('1'), end: { outcome: 'needs-confirmation' } })
    approve('1', 'eve', 4_000)
    runPass(journal, { atMs: 4_100, ...to('1'), end: { outcome: 'applied' } })
    const told = journal
      .log({ limit: 10 })
      .map(({ outcome, approvedBy }) => [outcome, ...approvedBy.map(({ who }) => who)])
    expect(told).to.deep.equal([
      ['applied', 'eve'],
      ['needs-confirmation'],
      ['applied', 'bob'],
      ['applied', 'ann'],
    ])
  })

  it('G25 names no approval on which nothing rests that a pass does: a used one, an older one of the same, one of what waits', () => {
    const journal = memoryJournal()
    const approve = (who: string, atMs: number, ...services: readonly string[]) => {
      const items = services.map(service => ({
        ...{ resource: `shop/${service}`, action: 'replace' as const, release: 'release-2' },
      }))
      const parts = [{ site: 'local', planId: 'plan-1', commit: 'c1', items }]
      const shown = { environment: 'prod', planId: 'plan-1', commit: 'c1' }
      journal.approve({ ...shown, who, via: 'control', parts, atMs, expiresAtMs: 90_000 })
    }
    const [web, db] = [change(), change({ service: 'db' })]
    const both = plan({ changes: [web, db] })
    approve('ann', 1_000, 'web')
    approve('bob', 1_100, 'web')
    approve('eve', 1_200, 'db')
    runPass(journal, { atMs: 2_000, plan: both, begun: [web], end: { outcome: 'applied' } })
    journal.useApproval('prod', web)
    runPass(journal, { atMs: 3_000, plan: both, begun: [web, db], end: { outcome: 'applied' } })
    runPass(journal, { atMs: 4_000, plan: both, end: { outcome: 'needs-confirmation' } })
    const told = journal.log({ limit: 10 }).map(({ approvedBy }) => approvedBy.map(({ who }) => who))
    expect(told).to.deep.equal([[], ['eve'], ['bob']])
  })

  it('G25 tells which changes of its plan a pass began, and the digests of those alone', () => {
    const journal = memoryJournal()
    const [web, db] = [change(), change({ application: 'store', service: 'db' })]
    const both = plan({ changes: [web, db] })
    const id = runPass(journal, { plan: both, begun: [db], end: { outcome: 'needs-confirmation' } })
    const { begun, begunChanges, digests } = journal.show(id) ?? {}
    expect({ begun, begunChanges, digests: digests?.map(({ service }) => service) }).to.deep.equal({
      begun: { changes: 1, of: 2 },
      begunChanges: [{ application: 'store', service: 'db' }],
      digests: ['db'],
    })
  })

  it('D3 G25 tells what its plan warned of that was lost', () => {
    const journal = memoryJournal()
    const warnings = [
      { code: 'volume-gone', message: 'local: volume a is gone' },
      { code: 'volume-gone', message: 'local: volume b is gone' },
      { code: 'version-twice', message: 'web' },
    ] as const
    runPass(journal, { plan: { ...plan(), warnings } })
    expect(journal.log({ limit: 1 })[0]?.losses).to.deep.equal(['volume-gone'])
  })

  it('G25 finds the passes that changed an application, and those that only plan to', () => {
    const journal = memoryJournal()
    const [web, db] = [change(), change({ application: 'store', service: 'db' })]
    const both = plan({ changes: [web, db] })
    runPass(journal, { plan: both, end: { outcome: 'needs-confirmation' } })
    const events = [event()]
    runPass(journal, { atMs: 2_000, plan: both, begun: [db], events, end: { outcome: 'needs-confirmation' } })
    runPass(journal, { atMs: 3_000, plan: both, begun: [web, db], end: { outcome: 'applied' } })
    const of = (application: string) =>
      journal.log({ application, limit: 10 }).map(({ outcome, begun }) => [outcome, begun?.changes ?? 0])
    expect(of('shop')).to.deep.equal([
      ['applied', 2],
      ['needs-confirmation', 0],
    ])
    expect(of('store')).to.deep.equal([
      ['applied', 2],
      ['needs-confirmation', 1],
      ['needs-confirmation', 0],
    ])
  })

  it('G25 names who discarded a plan', () => {
    const journal = memoryJournal()
    const id = runPass(journal, { plan: plan(), end: { outcome: 'declined' } })
    journal.discard({
      environment: 'prod',
      planId: 'plan-1',
      commit: 'c1',
      who: 'ann',
      message: 'not on a Friday',
      atMs: 2_000,
    })
    expect(journal.show(id)?.discardedBy).to.deep.equal({
      who: 'ann',
      message: 'not on a Friday',
      atMs: 2_000,
    })
  })

  it('cuts a foreign text that is longer than anybody reads', () => {
    const journal = memoryJournal()
    const id = runPass(journal, {
      end: {
        outcome: 'failed',
        error: { code: 'internal', message: 'x'.repeat(8_010), hint: 'Look.' },
      },
    })
    expect(journal.show(id)?.error?.message).to.equal(`${'x'.repeat(8_000)}… (10 characters more)`)
  })

  it('knows no pass that never was', () => {
    expect(memoryJournal().show(4)).to.equal(undefined)
  })
})
