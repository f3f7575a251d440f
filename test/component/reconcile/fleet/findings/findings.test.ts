import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import type { Change } from '../../../../../lib/plan/change/change.ts'
import { unseenPlan } from '../../../../../lib/plan/plan.ts'
import { findingsOf } from '../../../../../lib/reconcile/fleet/findings/findings.ts'
import type { PassResult } from '../../../../../lib/reconcile/site/result/pass-result.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { change, desired } from '../../../../support/builders/builders.ts'
import { repair } from '../../../../support/builders/changes.ts'
import { waitUntil } from '../../../../support/time/wait-until.ts'
import { Fleet, filesOf } from '../scene.ts'
import { turn } from './turn.ts'

/** A pass over a site whose engine did not answer. */
function silentOn(site: string): PassResult {
  const [outcome, sync] = ['unreachable', 'Unknown'] as const
  const plan = unseenPlan(desired(), site)
  return { site, outcome, sync, plan, errors: [], waiting: [], results: [], status: [] }
}

/** A pass over a site where the version is in place, which was looked at then. */
function healthyOn(site: string, seenMs: number): PassResult {
  const own: ApplicationStatus = {
    ...{ site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '2', running: 1, wanted: 1 },
    ...{ reason: '', commit: '' },
  }
  const plan = { ...unseenPlan(desired(), site), unseen: [] }
  return {
    ...{ ...silentOn(site), outcome: 'in-sync', sync: 'Synced' },
    ...{ plan, status: [own], seenMs, contents: new Map([['shop', 'c2']]) },
  }
}

const judging = { hasReached: () => false, unended: () => [], deadlineMs: 60_000, nowMs: 5 }

describe('what a pass says about a deployment', () => {
  it('A34 a site that does not answer is not ready, and nothing failed there', () => {
    expect(findingsOf([turn], silentOn('a'), judging)).to.deep.equal([
      { application: 'shop', isReady: false },
    ])
  })

  it('A32 D9 a site that stopped or fell silent is healthy again only for a look since then', () => {
    const { run } = turn
    if (run === undefined) throw new Error('the run is missing')
    const recheck = new Map([['a', 'stop']] as const)
    const stand = { ...run.stand, reached: new Set(['a']), recheck, brokenMs: new Map([['a', 4]]) }
    const stopped = { ...turn, content: 'c2', run: { ...run, stand } }
    const had = { ...judging, hasReached: () => true }
    const facts = (seenMs: number) =>
      findingsOf([stopped], healthyOn('a', seenMs), had).map(({ fact }) => fact?.kind)
    expect([facts(3), facts(4)]).to.deep.equal([[undefined], ['reached']])
  })

  it('A33 X18 the version waits quietly where only it is held, nobody is asked, and nothing waits with it', () => {
    const waits = change({ application: 'shop', held: { code: 'not-its-turn', reason: '', isQueued: true } })
    const stopped = change({ application: 'shop', held: { code: 'deployment-stopped', reason: '' } })
    const closed = change({ application: 'shop', held: { code: 'window-closed', reason: '' } })
    const dependent = change({ application: 'api', held: { code: 'dependency-held', reason: '' } })
    const mended = repair({ application: 'shop' })
    const quiet = (changes: readonly Change[], more: Partial<PassResult> = {}) => {
      const result = {
        ...silentOn('a'),
        ...more,
        plan: { ...unseenPlan(desired(), 'a'), unseen: [], changes },
      }
      return findingsOf([turn], result, judging)[0]?.isQuiet
    }
    expect(quiet([waits])).to.equal(true)
    expect(quiet([waits, closed, change({ application: 'api' })])).to.equal(true)
    expect(quiet([waits], { waiting: [waits] })).to.equal(false)
    expect(quiet([waits], { outcome: 'declined' })).to.equal(false)
    expect(quiet([waits, dependent])).to.equal(false)
    expect(quiet([waits, mended])).to.equal(false)
    expect(quiet([])).to.equal(false)
    expect(quiet([stopped]), 'that is known from before').to.equal(undefined)
  })

  it('A11 A33 a pass that went by another content says nothing about the one of now', () => {
    const own: ApplicationStatus = {
      ...{ site: 'a', application: 'shop', sync: 'Synced', health: 'Healthy', version: '2' },
      ...{ running: 1, wanted: 1, commit: '', reason: '' },
    }
    const factOf = (content: string) => {
      const plan = { ...unseenPlan(desired(), 'a'), unseen: [] }
      const result = { ...silentOn('a'), plan, status: [own], contents: new Map([['shop', content]]) }
      return findingsOf([{ ...turn, content: 'c2' }], result, judging)[0]?.fact
    }
    expect(factOf('c2')).to.deep.equal({ kind: 'reached', atMs: 5, site: 'a' })
    expect(factOf('c1')).to.equal(undefined)
  })

  const failed = (atMs: number, retry: 'never' | 'backoff') => ({
    change: change({ site: 'a', application: 'shop' }),
    result: 'failed' as const,
    failure: new Failure(retry === 'never' ? 'exited-early' : 'pull-failed', 'it ended'),
    atMs,
  })
  /** A pass over `a` by content `c2`, which looked at it at 2 and ended at 5. */
  const passed = (parts: Partial<PassResult>): PassResult => {
    const plan = { ...unseenPlan(desired(), 'a'), unseen: [] }
    const contents = new Map([['shop', 'c2']])
    return { ...silentOn('a'), plan, contents, seenMs: 2, ...parts }
  }
  const factOf = (parts: object, result: PassResult, by: Parameters<typeof findingsOf>[2] = judging) => {
    const run = { ...turn.run, stand: { ...turn.run.stand, ...parts } }
    return findingsOf([{ ...turn, run, content: 'c2' }], result, by)[0]?.fact
  }

  it('A33 G5 what failed before a person said that it goes on is no failure since, and what failed then is', () => {
    const results = (atMs: number) => passed({ results: [failed(atMs, 'never')] })
    expect(factOf({ resumedMs: 4 }, results(3))).to.equal(undefined)
    expect(factOf({ resumedMs: 4 }, results(4))?.kind).to.equal('failed')
    expect(factOf({}, results(3))?.kind).to.equal('failed')
    expect(factOf({ resumedMs: 9 }, results(3))?.kind, 'the clock was set back').to.equal('failed')
  })

  /** What a pass says of a version that was in place there before, by what is known of the run, and how it is now. */
  const factSince = (parts: object, own: Partial<ApplicationStatus>, more: Partial<PassResult> = {}) => {
    const status = [{ ...healthyOn('a', 2).status[0], ...own }] as readonly ApplicationStatus[]
    return factOf(parts, passed({ status, ...more }), { ...judging, hasReached: () => true })
  }
  const open = new Set(['a'])
  const isMissing = { health: 'Missing', running: 0 } as const

  it('A33 nothing says that a version failed once its run has ended with that', () => {
    const results = passed({ results: [failed(4, 'never')] })
    expect(factOf({ wait: { for: 'correction' } }, results)).to.equal(undefined)
    expect(factOf({}, results)?.kind).to.equal('failed')
  })

  it('A33 H30 a hook that failed since the run began counts, also where the clock was set back after a word', () => {
    const hook = { environment: 'prod', application: 'shop', version: '2', atMs: 4, message: 'it failed' }
    const troubles = [{ ...hook, site: 'a', service: 'web', release: 'r', code: 'job-failed' }] as const
    expect(factOf({ resumedMs: 5 }, passed({ troubles }))).to.equal(undefined)
    expect(factOf({ resumedMs: 9 }, passed({ troubles }))?.kind).to.equal('failed')
  })

  it('A32 D9 what stopped is told once, and again only if it ended by itself meanwhile', () => {
    const ended = { breaks: new Map([['shop', 'ended' as const]]) }
    const recheck = new Map([['a', 'stop']])
    expect(factSince({ open }, isMissing)).to.deep.equal({ kind: 'stopped', atMs: 5, site: 'a' })
    expect(factSince({ open, recheck }, isMissing)).to.equal(undefined)
    expect(factSince({ open, recheck }, isMissing, ended)).to.deep.include({ kind: 'stopped', isEnd: true })
  })

  it('A32 what ended by itself fails if it ends again, but not while the engine starts it', () => {
    const again = { breaks: new Map([['shop', 'ended' as const]]) }
    const known = { open, ended: new Map([['a', 4]]) }
    expect(factSince(known, isMissing, again)?.kind).to.equal('failed')
    expect(factSince({ ...known, recheck: new Map([['a', 'stop']]) }, isMissing, again)).to.equal(undefined)
  })

  it('A72 a site that has the version of all by now, and had one of its own before, is told, and no other', () => {
    const reached = new Set(['a'])
    expect(factSince({ reached }, {})).to.equal(undefined)
    expect(factSince({ reached, own: new Set(['a']) }, {})).to.deep.equal({
      kind: 'reached',
      atMs: 5,
      site: 'a',
    })
  })

  it('A33 a look in the middle of a pass does not end what hinders the version', () => {
    const hindered = new Map([['a', { sinceMs: 0, untilMs: 60_000 }]])
    expect(factOf({ hindered }, passed({ saysNothingOf: () => false }))).to.equal(undefined)
    expect(factOf({ hindered }, passed({}))).to.deep.equal({ kind: 'hindered', atMs: 5, site: 'a' })
  })

  it('A32 D15 a site whose own file is wrong proves the version that it has, unless that was begun and has not ended', () => {
    const own: ApplicationStatus = {
      ...{ site: 'a', application: 'shop', sync: 'Unknown', health: 'Healthy', version: '2' },
      ...{ running: 1, wanted: 1, commit: '', reason: '' },
    }
    const blocked = [
      { application: 'shop', problems: [{ code: 'application-invalid', message: 'no' }] },
    ] as const
    const plan = { ...unseenPlan(desired(), 'a'), unseen: [], blocked }
    const result = passed({ plan, status: [own] })
    const begun = { target: 't', release: 'r', phase: 'open' } as const
    const found = [[], [begun]].map(unended => {
      const [one] = findingsOf([{ ...turn, content: 'c2' }], result, { ...judging, unended: () => unended })
      return [one?.fact?.kind, one?.isReady]
    })
    expect(found).to.deep.equal([
      ['reached', false],
      [undefined, true],
    ])
  })

  it('A33 the end of a pass says of what was seen since only what failed', () => {
    const status: readonly ApplicationStatus[] = [
      {
        ...{ site: 'a', application: 'shop', sync: 'OutOfSync', health: 'Missing', version: '2' },
        ...{ running: 0, wanted: 1, commit: '', reason: '' },
      },
    ]
    const gone = (parts: Partial<PassResult>) =>
      factOf({ reached: new Set(['a']) }, passed({ status, ...parts }))
    const reached = { ...judging, hasReached: () => true }
    expect(gone({ wasSeenSince: () => true })).to.equal(undefined)
    expect(findingsOf([{ ...turn, content: 'c2' }], passed({ status }), reached)[0]?.fact?.kind).to.equal(
      'stopped',
    )
    expect(gone({ wasSeenSince: () => true, results: [failed(3, 'never')] })?.kind).to.equal('failed')
  })

  it('A20 a site that the deployment does not mean says nothing about it', () => {
    expect(findingsOf([turn], silentOn('c'), judging)).to.deep.equal([])
  })

  it('A34 a site that falls silent in its batch holds no other, and gets the version when it answers again', async () => {
    const strategy = 'deploy-to-sites: {sites-in-parallel: 4}'
    await using fleet = await Fleet.start(filesOf('1', strategy))
    await fleet.until('done', 4)
    fleet.silent = 'b'
    fleet.commit(filesOf('2', strategy))
    const { left } = await fleet.until('waiting', 3)
    expect(left.map(({ site, version }) => [site, version])).to.deep.equal([['b', '1']])
    expect(fleet.runs()).to.equal('2 1 2 2 -')
    fleet.silent = ''
    await waitUntil('it is tried again', async () => {
      fleet.nowMs += 600_000
      await fleet.daemon.pass()
      return fleet.runs() === '2 2 2 2 -'
    })
    await fleet.until('done', 4)
  })
})
