import { expect } from 'chai'
import { awaitsWord } from '../../../../lib/fleet/spread/awaits-word.ts'
import { isSaid, pauseIn } from '../../../../lib/fleet/spread/facts/run-facts.ts'
import { type Stand, type StandInput, standOf } from '../../../../lib/fleet/spread/stand.ts'
import type { RunFact } from '../../../../lib/state/fleet/run.ts'

const minute = 60_000

/** Where a rolling run of two sites at a time stands, with 15 minutes between batches. */
function stand(facts: readonly RunFact[], other: Partial<StandInput> = {}): Stand {
  return standOf({
    strategy: { sitesInParallel: 2, healthyMs: 15 * minute },
    sites: ['a', 'b', 'c', 'd', 'e'],
    facts,
    isMeant: () => true,
    isReady: () => true,
    hasBegun: () => false,
    nowMs: 0,
    ...other,
  })
}

const batch = (atMs: number, ...sites: readonly string[]): RunFact => ({ kind: 'batch', atMs, sites })
const canaries = (atMs: number, ...sites: readonly string[]): RunFact => ({
  kind: 'batch',
  atMs,
  sites,
  isCanary: true,
})
const reached = (atMs: number, site: string): RunFact => ({ kind: 'reached', atMs, site })
const failed = (atMs: number, site: string): RunFact => ({ kind: 'failed', atMs, site, reason: 'it crashed' })
const said = (atMs: number, word: 'continue' | 'pause' | 'resume' | 'abort'): RunFact => ({
  kind: 'word',
  atMs,
  word,
  who: 'ann',
})
const silent = (atMs: number, site: string): RunFact => ({ kind: 'silent', atMs, site })
const gone = (atMs: number, site: string): RunFact => ({ kind: 'silent', atMs, site, isGone: true })
const openIn = ({ open }: Stand) => [...open].sort()

const isAsked = (run: Stand) => awaitsWord(run, () => false)

describe('where a run stands', () => {
  it('G24 goes through what happened once, however often that is asked while nothing else happens', () => {
    let reads = 0
    const facts = new Proxy<readonly RunFact[]>([batch(1, 'a', 'b'), reached(2, 'a'), reached(3, 'b')], {
      get(all, key) {
        reads += 1
        return Reflect.get(all, key)
      },
    })
    const before = stand(facts, { nowMs: 4 })
    const firstReads = reads
    expect(firstReads).to.be.above(facts.length)
    reads = 0
    const after = stand(facts, { nowMs: 20 * minute, isReady: site => site !== 'c' })
    expect([before.wait.for, after.wait]).to.deep.equal([
      'healthy-time',
      { for: 'batch', from: ['d', 'e'], size: 2 },
    ])
    expect(reads).to.equal(0)
  })

  it('A32 begins with a batch: no site is open before one is drawn', () => {
    const { wait, ...rest } = stand([])
    expect(openIn({ wait, ...rest })).to.deep.equal([])
    expect(wait).to.deep.equal({ for: 'batch', from: ['a', 'b', 'c', 'd', 'e'], size: 2 })
  })

  it('A32 draws no first batch while a site still gets a version that was wanted before', () => {
    const isChanging = (site: string) => site === 'd'
    const waits = { for: 'changing', sites: ['d'] }
    expect(stand([], { isChanging }).wait).to.deep.equal(waits)
    const had: RunFact = { kind: 'had', atMs: 0, sites: ['a'] }
    expect(stand([had], { isChanging }).wait).to.deep.equal(waits)
    const canary = { sites: new Set(['a']), healthyMs: 'word' } as const
    expect(
      stand([], { isChanging, strategy: { sitesInParallel: 2, healthyMs: 0, canary } }).wait,
    ).to.deep.equal(waits)
    expect(stand([batch(1, 'a'), reached(2, 'a')], { isChanging, nowMs: 99 * minute }).wait.for).to.equal(
      'batch',
    )
  })

  it('A30 A32 waits for no site that still changes where all sites get a version at once', () => {
    const atOnce = stand([], { isChanging: () => true, strategy: { isAtOnce: true, healthyMs: 0 } })
    expect(atOnce.wait.for).to.equal('batch')
  })

  it('A32 waits for all sites of the batch, and opens no other', () => {
    const found = stand([batch(1, 'a', 'b'), reached(5, 'a')], { nowMs: 99 * minute })
    expect(found.wait).to.deep.equal({ for: 'sites', sites: ['b'], sinceMs: 1 })
    expect(openIn(found)).to.deep.equal(['a', 'b'])
  })

  it('A32 opens a site of an earlier batch on which it was begun, and draws no other before it is there', () => {
    const facts = [batch(1, 'a'), batch(2, 'b'), reached(3, 'b')]
    const hasBegun = (site: string, sinceMs: number) => site === 'a' && sinceMs === 1
    const sites = ['a', 'b', 'c']
    const back = stand(facts, { sites, hasBegun, nowMs: 99 * minute })
    expect(back.wait).to.deep.equal({ for: 'sites', sites: ['a'], sinceMs: 2 })
    expect(openIn(back)).to.deep.equal(['a', 'b'])
    const away = stand(facts, { sites, hasBegun, isReady: site => site !== 'a', nowMs: 99 * minute })
    expect(away.wait).to.deep.equal({ for: 'batch', from: ['c'], size: 2 })
    expect(openIn(away)).to.deep.equal(['b'])
    const ended = stand([...facts, failed(4, 'b')], { sites, hasBegun })
    expect(openIn(ended)).to.deep.equal(['b'])
  })

  it('A33 says when the first site of the batch fails that is hindered, which only its first finding decides', () => {
    const hindered = (atMs: number, site: string, untilMs?: number): RunFact => ({
      ...{ kind: 'hindered', atMs, site },
      ...(untilMs === undefined ? {} : { untilMs }),
    })
    const facts = [batch(1, 'a', 'b'), hindered(2, 'a', 12), hindered(3, 'b', 13), hindered(4, 'a', 14)]
    const waitAfter = (...more: readonly RunFact[]) => stand([...facts, ...more]).wait
    const waits = { for: 'sites', sites: ['a', 'b'], sinceMs: 1 }
    expect(waitAfter()).to.deep.equal({ ...waits, untilMs: 12 })
    expect(waitAfter(hindered(5, 'a'))).to.deep.equal({ ...waits, untilMs: 13 })
    expect(waitAfter(reached(5, 'a'))).to.deep.equal({ ...waits, sites: ['b'], untilMs: 13 })
    expect(waitAfter(said(5, 'pause'), said(6, 'resume'))).to.deep.equal(waits)
  })

  it('A32 A33 counts the healthy time from the last site of the batch that became healthy, to the millisecond', () => {
    const facts = [batch(1, 'a', 'b'), reached(5, 'a'), reached(7, 'b')]
    const untilMs = 7 + 15 * minute
    expect(stand(facts, { nowMs: untilMs - 1 }).wait).to.deep.equal({
      for: 'healthy-time',
      sinceMs: 7,
      untilMs,
    })
    expect(stand(facts, { nowMs: untilMs }).wait).to.deep.equal({
      for: 'batch',
      from: ['c', 'd', 'e'],
      size: 2,
    })
  })

  it('A33 G25 draws nothing on what was seen before the end of the healthy time, or before a start', () => {
    const facts = [batch(1, 'a', 'b'), reached(5, 'a'), reached(7, 'b')]
    const untilMs = 7 + 15 * minute
    const looked = (ofA: number | undefined, more: Partial<StandInput> = {}) =>
      stand(facts, { nowMs: untilMs + 9, lookedMs: site => (site === 'a' ? ofA : untilMs), ...more }).wait
    const look = { for: 'look', sites: ['a'], sinceMs: untilMs }
    expect(looked(undefined)).to.deep.equal(look)
    expect(looked(untilMs - 1)).to.deep.equal(look)
    expect(looked(untilMs).for).to.equal('batch')
    const notA = (site: string) => site !== 'a'
    expect(looked(undefined, { isReady: notA }), 'a site that could not go on now').to.deep.equal(look)
    expect(looked(undefined, { isSeen: notA }).for, 'nobody waits for a site that is away').to.equal('batch')
  })

  it('A32 A33 looks no further where there is no healthy time, but after a start', () => {
    const facts = [batch(1, 'a', 'b'), reached(5, 'a'), reached(7, 'b')]
    const strategy = { sitesInParallel: 2, healthyMs: 0 }
    const looked = (ofA: number | undefined) =>
      stand(facts, { strategy, nowMs: 7, lookedMs: site => (site === 'a' ? ofA : 7) }).wait.for
    expect([looked(5), looked(undefined)]).to.deep.equal(['batch', 'look'])
  })

  it('A36 is done once all have reached it, and says until when the last batch is watched', () => {
    const facts = [
      ...[batch(1, 'a', 'b'), reached(2, 'a'), reached(2, 'b'), batch(3, 'c', 'd'), reached(4, 'c')],
      ...[reached(4, 'd'), batch(5, 'e'), reached(6, 'e')],
    ]
    const untilMs = 6 + 15 * minute
    expect(stand(facts, { nowMs: 7 }).wait).to.deep.equal({ for: 'done', sinceMs: 6, untilMs })
    expect(stand(facts, { nowMs: untilMs }).wait).to.deep.equal({ for: 'done' })
  })

  it('A33 A72 a site with a version of its own that failed is waited for after a word, as any other one', () => {
    const facts: readonly RunFact[] = [
      batch(0, 'a', 'b'),
      { kind: 'reached', atMs: 1, site: 'a', isOwn: true },
      failed(2, 'a'),
      said(3, 'resume'),
    ]
    expect([...stand(facts).recheck]).to.deep.equal([['a', 'failure']])
  })

  it('A72 A32 proves nothing by a site of the batch that has a version of its own, and waits for no healthy time of it', () => {
    const own = (atMs: number, site: string): RunFact => ({ kind: 'reached', atMs, site, isOwn: true })
    const untilMs = 5 + 15 * minute
    const both = stand([batch(1, 'a', 'b'), reached(5, 'a'), own(9, 'b')])
    expect([both.wait, [...both.proving.keys()]]).to.deep.equal([
      { for: 'healthy-time', sinceMs: 5, untilMs },
      ['a'],
    ])
    const lost = stand([batch(1, 'a', 'b'), own(5, 'b'), reached(6, 'a'), silent(7, 'a')], {
      isReady: site => site !== 'a',
      nowMs: 99 * minute,
    })
    expect(lost.wait).to.deep.equal({ for: 'return', sites: ['a'], sinceMs: 7 })
    const { wait, own: now, reached: all } = stand([batch(1, 'a', 'b'), own(5, 'a'), own(5, 'b')])
    expect([wait.for, [...now], [...all]]).to.deep.equal(['batch', ['a', 'b'], ['a', 'b']])
  })

  it('A33 ends with the first error: those that are done stay, and no other site is open', () => {
    const found = stand([batch(1, 'a', 'b'), reached(5, 'a'), failed(6, 'b')])
    expect(found.wait).to.deep.equal({ for: 'correction', failed: failed(6, 'b') })
    expect(openIn(found)).to.deep.equal(['a'])
  })

  it('A33 ends with an error in the healthy time, also of an earlier batch', () => {
    const facts = [batch(1, 'a', 'b'), reached(2, 'a'), reached(2, 'b'), batch(3, 'c', 'd'), failed(4, 'a')]
    expect(stand(facts).wait.for).to.equal('correction')
  })

  it('A33 goes on where it stopped once a person resumes it, and ends again with another error', () => {
    const facts = [batch(1, 'a', 'b'), reached(5, 'a'), failed(6, 'b'), said(7, 'resume')]
    expect(stand(facts).wait).to.deep.equal({ for: 'sites', sites: ['b', 'a'], sinceMs: 7 })
    expect(openIn(stand(facts))).to.deep.equal(['a', 'b'])
    expect(stand([...facts, failed(8, 'b')]).wait.for).to.equal('correction')
  })

  describe('after a failure in the healthy time, and the word that goes on', () => {
    const until = 15 * minute
    const facts = [
      ...[batch(1, 'a', 'b'), reached(2, 'a'), reached(2, 'b')],
      ...[failed(4, 'a'), said(2 * until, 'resume')],
    ]
    const late = { nowMs: 99 * minute }

    it('A33 nobody follows before all sites of the batch were found healthy again', () => {
      expect(stand(facts, late).wait).to.deep.equal({ for: 'sites', sites: ['a', 'b'], sinceMs: 2 * until })
      const one = stand([...facts, reached(2 * until + 1, 'b')], late)
      expect(one.wait).to.deep.equal({ for: 'sites', sites: ['a'], sinceMs: 2 * until })
      expect([...one.recheck]).to.deep.equal([['a', 'failure']])
      expect(openIn(one)).to.deep.equal(['a', 'b'])
    })

    it('A33 the healthy time begins anew, from the last of them', () => {
      const [one, other] = [2 * until + 1, 2 * until + 7]
      const again = [...facts, reached(one, 'b'), reached(other, 'a')]
      expect(stand(again, { nowMs: other + until - 1 }).wait).to.deep.equal({
        for: 'healthy-time',
        sinceMs: other,
        untilMs: other + until,
      })
      expect(stand(again, { nowMs: other + until }).wait.for).to.equal('batch')
    })

    it('A33 a site of an earlier batch that failed has to be healthy again, too, also if it is away', () => {
      const next = [...facts.slice(0, 3), batch(3, 'c'), reached(4, 'c'), failed(5, 'a'), said(6, 'resume')]
      const found = stand(next, { ...late, isReady: site => site !== 'a' })
      expect(found.wait).to.deep.equal({ for: 'sites', sites: ['c', 'a'], sinceMs: 6 })
      const healthy = [...next, reached(8, 'a'), reached(9, 'c')]
      expect(stand(healthy, { nowMs: 10 }).wait).to.include({ for: 'healthy-time', sinceMs: 9 })
    })

    it('A36 the last batch is watched anew, too', () => {
      const sites = ['a', 'b']
      expect(stand(facts, { ...late, sites }).wait.for).to.equal('sites')
      const healthy = [...facts, reached(2 * until + 1, 'a'), reached(2 * until + 1, 'b')]
      expect(stand(healthy, { sites, nowMs: 2 * until + 2 }).wait).to.deep.equal({
        for: 'done',
        sinceMs: 2 * until + 1,
        untilMs: 3 * until + 1,
      })
    })

    it('A31 X20 a person who says that the others may follow ends that', () => {
      expect(stand([...facts, said(2 * until + 1, 'continue')], late).wait.for).to.equal('batch')
    })

    it('nothing begins anew after a pause in which nothing failed', () => {
      const paused = [...facts.slice(0, 3), said(4, 'pause'), said(5, 'resume')]
      expect(stand(paused, { nowMs: 6 }).wait).to.deep.include({ for: 'healthy-time', sinceMs: 2 })
    })
  })

  it('a person pauses it: the batch goes on, and no other is drawn', () => {
    const facts = [batch(1, 'a', 'b'), said(2, 'pause'), reached(3, 'a'), reached(3, 'b')]
    const found = stand(facts, { nowMs: 99 * minute })
    expect(found.wait.for).to.equal('resume')
    expect(openIn(found)).to.deep.equal(['a', 'b'])
    expect(stand([...facts, said(4, 'resume')], { nowMs: 99 * minute }).wait.for).to.equal('batch')
  })

  it('a person aborts it: only what is done stays open, and an error after that changes nothing', () => {
    const facts = [batch(1, 'a', 'b'), reached(2, 'a'), said(3, 'abort')]
    expect(openIn(stand(facts))).to.deep.equal(['a'])
    expect(stand(facts).wait.for).to.equal('nothing')
    expect(stand([...facts, failed(4, 'b')]).wait).to.deep.equal({
      for: 'nothing',
      said: said(3, 'abort'),
    })
  })

  it('an error during a pause ends the run', () => {
    const facts = [batch(1, 'a', 'b'), said(2, 'pause'), failed(3, 'a')]
    expect(stand(facts).wait.for).to.equal('correction')
  })

  it('A33 a pause lasts whatever ends the run before or after it, until a person resumes it', () => {
    for (const end of [failed(3, 'a'), said(3, 'abort')])
      for (const facts of [
        [batch(1, 'a', 'b'), said(2, 'pause'), end],
        [batch(1, 'a', 'b'), end, said(4, 'pause')],
      ]) {
        expect(stand(facts).wait.for).to.not.equal('resume')
        expect(pauseIn(facts)?.word).to.equal('pause')
        expect([isSaid(facts, 'pause'), isSaid(facts, 'abort')]).to.deep.equal([true, true])
        const resumed = [...facts, said(5, 'resume')]
        expect([pauseIn(resumed), stand(resumed).wait.for]).to.deep.equal([undefined, 'sites'])
      }
  })

  describe('of another content of a version that some sites have', () => {
    const had = (atMs: number, ...sites: readonly string[]): RunFact => ({ kind: 'had', atMs, sites })

    it('A11 A32 those get it first and all at once, and the others once they have proved it', () => {
      const facts = [had(1, 'a', 'b', 'c')]
      expect(openIn(stand(facts))).to.deep.equal(['a', 'b', 'c'])
      expect(stand(facts).wait).to.deep.equal({ for: 'batch', from: ['a', 'b', 'c'], size: 3 })
      const drawn = [...facts, batch(2, 'a', 'b', 'c'), reached(3, 'a'), reached(3, 'b')]
      expect(stand(drawn, { nowMs: 99 * minute }).wait).to.include({ for: 'sites' })
      const proving = [...drawn, reached(5, 'c')]
      expect(stand(proving, { nowMs: 5 + 15 * minute - 1 }).wait.for).to.equal('healthy-time')
      expect(stand(proving, { nowMs: 5 + 15 * minute }).wait).to.include({ for: 'batch' })
    })

    it('A11 A31 canaries get it together with those, also canaries that have it as it is now', () => {
      const strategy = { healthyMs: 1, canary: { sites: new Set(['c', 'e']), healthyMs: 60 * minute } }
      const facts = [reached(1, 'e'), had(1, 'a')]
      expect(stand(facts, { strategy }).wait).to.deep.equal({
        ...{ for: 'batch', from: ['a', 'c', 'e'], size: 3 },
        isCanary: true,
      })
      const drawn = [...facts, canaries(2, 'a', 'c', 'e'), reached(3, 'a')]
      const away = (site: string) => site !== 'c'
      expect(stand([...drawn, reached(4, 'c')], { strategy, nowMs: 5 }).wait).to.include({ sinceMs: 4 })
      expect(stand(drawn, { strategy, nowMs: 5, isReady: away }).wait).to.include({ sinceMs: 3 })
    })

    it('A33 those that have not got it when it fails get it no more', () => {
      const failing = [had(1, 'a', 'b'), batch(2, 'a', 'b'), reached(3, 'a'), failed(4, 'a')]
      expect(openIn(stand(failing))).to.deep.equal(['a'])
      expect([...stand(failing).had]).to.deep.equal(['b'])
    })

    it('A11 nothing is drawn twice where all sites get a version at once', () => {
      const strategy = { isAtOnce: true, healthyMs: 0 } as const
      expect(stand([had(1, 'a')], { strategy }).wait).to.include({ for: 'batch', size: 5 })
    })
  })

  describe('sites that do not answer', () => {
    const without = (...silent: readonly string[]) => ({
      isReady: (site: string) => !silent.includes(site),
      nowMs: 99 * minute,
    })

    it('A34 are not drawn, and the batch is filled with others', () => {
      expect(stand([], without('a', 'b', 'c')).wait).to.deep.equal({
        for: 'batch',
        from: ['d', 'e'],
        size: 2,
      })
    })

    it('A34 hold no batch when they go away in it', () => {
      const facts = [batch(1, 'a', 'b'), reached(2, 'a')]
      expect(stand(facts, without('b')).wait).to.deep.equal({ for: 'batch', from: ['c', 'd', 'e'], size: 2 })
    })

    it('A32 A34 may not begin while they are not ready: what comes back with others waits until it was decided who goes on', () => {
      const facts = [batch(1, 'a'), reached(2, 'a'), batch(3, 'b')]
      const closed = stand(facts, without('b', 'c', 'd', 'e'))
      expect(closed.wait).to.deep.equal({ for: 'unready', sites: ['b', 'c', 'd', 'e'], sinceMs: 3 })
      expect(openIn(closed)).to.deep.equal(['a'])
      expect(openIn(stand(facts, without('c', 'd', 'e')))).to.deep.equal(['a', 'b'])
      expect(openIn(stand([...facts, batch(4, 'c')], without('d', 'e')))).to.deep.equal(['a', 'c'])
    })

    it('A34 lose their place once another batch is drawn, and are drawn again when they answer', () => {
      const facts = [
        batch(1, 'a', 'b'),
        reached(2, 'a'),
        batch(3, 'c', 'd'),
        reached(4, 'c'),
        reached(4, 'd'),
      ]
      expect(openIn(stand(facts))).to.deep.equal(['a', 'c', 'd'])
      expect(stand(facts, { nowMs: 99 * minute }).wait).to.deep.equal({
        for: 'batch',
        from: ['b', 'e'],
        size: 2,
      })
    })

    it('A34 are all that is left to wait for in the end, and do not count as done', () => {
      const facts = [batch(1, 'a', 'b'), reached(2, 'a'), batch(3, 'c', 'd'), reached(4, 'c')]
      const found = stand([...facts, reached(4, 'd'), batch(5, 'e'), reached(6, 'e')], without('b'))
      expect(found.wait).to.deep.equal({ for: 'unready', sites: ['b'], sinceMs: 6 })
      expect(found.reached.has('b')).to.equal(false)
    })

    it('A34 hold nobody if they have begun nothing: such a batch is followed by the next one at once', () => {
      expect(stand([batch(1, 'a', 'b')], { ...without('a', 'b'), nowMs: 2 }).wait.for).to.equal('batch')
    })
  })

  describe('sites that fall silent with the version, or on their way to it', () => {
    const away = (...names: readonly string[]) => ({
      isReady: (site: string) => !names.includes(site),
      nowMs: 99 * minute,
    })
    const both = [batch(1, 'a', 'b'), reached(2, 'a'), reached(3, 'b')]

    it('A34 do not count as done, and leave it to the others of the batch to prove the version', () => {
      const facts = [...both, silent(5, 'b')]
      const untilMs = 2 + 15 * minute
      const early = stand(facts, { ...away('b'), nowMs: untilMs - 1 })
      expect(early.wait).to.deep.equal({ for: 'healthy-time', sinceMs: 2, untilMs })
      expect([...early.lost]).to.deep.equal(['b'])
      expect(stand(facts, { ...away('b'), nowMs: untilMs }).wait).to.deep.equal({
        for: 'batch',
        from: ['c', 'd', 'e'],
        size: 2,
      })
    })

    it('A34 hold the next batch if no other site of theirs proves the version, until one is back and healthy', () => {
      const facts = [...both, silent(5, 'b'), silent(6, 'a')]
      expect(stand(facts, away('a', 'b')).wait).to.deep.equal({
        for: 'return',
        sites: ['a', 'b'],
        sinceMs: 6,
      })
      expect(stand(facts, away('b')).wait).to.deep.equal({ for: 'sites', sites: ['a'], sinceMs: 6 })
      const back = [...facts, reached(90 * minute, 'a')]
      expect(stand(back, away('b')).wait).to.deep.include({ for: 'healthy-time', sinceMs: 90 * minute })
    })

    it('A34 hold it also where they were only getting the version', () => {
      const facts = [batch(1, 'a', 'b'), silent(2, 'a')]
      expect(stand(facts, away('a', 'b')).wait).to.deep.equal({ for: 'return', sites: ['a'], sinceMs: 2 })
      expect(stand([...facts, reached(3, 'b')], away('a')).wait.for).to.equal('batch')
    })

    it('A34 X20 hold nobody once a person says so, or once they are taken out', () => {
      const facts = [...both, silent(5, 'b'), silent(6, 'a')]
      const isAwaited = (all: readonly RunFact[]) => isAsked(stand(all, away('a', 'b')))
      expect([isAwaited(facts), isAwaited([...facts, said(7, 'continue')])]).to.deep.equal([true, false])
      expect(stand([...facts, said(7, 'continue')], away('a', 'b')).wait.for).to.equal('batch')
      expect(stand(facts, { ...away('a', 'b'), sites: ['c', 'd', 'e'] }).wait.for).to.equal('batch')
    })

    it('A34 X20 are asked about where one of them does not answer and the other was taken out', () => {
      const facts = [...both, silent(5, 'b')]
      const others = ['b', 'c', 'd', 'e']
      const found = stand(facts, { ...away('b'), sites: others })
      expect(found.wait).to.deep.include({ for: 'return', sites: ['b'] })
      expect(isAsked(found)).to.equal(true)
    })

    it('A32 A34 hold the next batch if something was stopped on the only one that proves it, whatever keeps it from going on', () => {
      const stopped: RunFact = { kind: 'stopped', atMs: 5, site: 'a' }
      const facts = [batch(1, 'a'), reached(2, 'a'), stopped]
      const wait = { for: 'sites', sites: ['a'] }
      expect(stand(facts, { ...away('a'), nowMs: 99 * minute }).wait).to.deep.include(wait)
      const beside = [batch(1, 'a', 'b'), reached(2, 'a'), reached(3, 'b'), stopped]
      expect(stand(beside, { ...away('a'), nowMs: 99 * minute }).wait.for).to.equal('batch')
    })

    it('A32 hold nobody if they had proved it when they were taken out', () => {
      const others = { sites: ['c', 'd', 'e'], nowMs: 99 * minute }
      const untilMs = 3 + 15 * minute
      const looked = (atMs: number) => stand(both, { ...others, lookedMs: () => atMs }).wait.for
      expect([looked(untilMs - 1), looked(untilMs)]).to.deep.equal(['return', 'batch'])
      const strategy = { sitesInParallel: 2, healthyMs: 0 }
      expect(stand(both, { ...others, strategy }).wait.for, 'without a healthy time').to.equal('batch')
    })

    it('A32 G13 hold the next batch if they were healthy when they were taken out, and nobody is left who proves the version', () => {
      const others = { sites: ['c', 'd', 'e'], nowMs: 99 * minute }
      const wait = { for: 'return', sites: ['a', 'b'] }
      for (const more of [[], [gone(5, 'b'), gone(5, 'a')]])
        expect(stand([...both, ...more], others).wait).to.deep.include(wait)
      const recorded = [...both, gone(5, 'b'), gone(6, 'a')]
      expect(isAsked(stand(recorded, others))).to.equal(true)
      expect(stand([...recorded, said(7, 'continue')], others).wait.for).to.equal('batch')
      expect(stand(both, { ...others, sites: ['b', 'c'] }).wait.for, 'one is left').to.equal('batch')
      const unmeant = stand(recorded, { ...others, isMeant: () => false })
      expect([unmeant.wait.for, isAsked(unmeant)], 'the deployment was changed').to.deep.equal([
        'batch',
        false,
      ])
      expect(stand(both, { ...others, sites: [] }).wait.for, 'nobody is to come').to.equal('done')
      const back = stand(recorded, { nowMs: 99 * minute })
      expect(back.wait, 'they are back').to.deep.include({ for: 'sites', sites: ['a', 'b'] })
      const healthy = [...recorded, reached(90 * minute, 'a'), reached(90 * minute, 'b')]
      expect(stand(healthy, { nowMs: 99 * minute }).wait.for).to.equal('healthy-time')
    })

    it('A34 nobody is asked about them while another site of the batch proves the version', () => {
      expect(isAsked(stand([...both, silent(5, 'b')], away('b')))).to.equal(false)
    })

    it('A34 are all that is left to wait for in the end, and are done once they are found healthy', () => {
      const facts = [...both, silent(5, 'b'), batch(20 * minute, 'c', 'd', 'e')]
      const later = ['c', 'd', 'e'].map(site => reached(21 * minute, site))
      const found = stand([...facts, ...later], away('b'))
      expect(found.wait).to.deep.equal({ for: 'unready', sites: ['b'], sinceMs: 21 * minute })
      expect([...found.recheck]).to.deep.equal([['b', 'silence']])
      const back = stand([...facts, ...later, reached(98 * minute, 'b')], { nowMs: 99 * minute })
      expect([back.wait, [...back.lost]]).to.deep.equal([{ for: 'done' }, []])
    })

    it('A33 A34 a site that failed and is away is waited for until it was healthy once more, and not after that', () => {
      const failing = [...both, failed(4, 'b'), said(5, 'resume'), silent(6, 'b')]
      expect(stand(failing, away('b')).wait).to.include({ for: 'sites' })
      const healthy = [...both, failed(4, 'b'), said(5, 'resume'), reached(6, 'a'), reached(7, 'b')]
      expect(stand([...healthy, silent(8, 'b')], away('b')).wait.for).to.equal('batch')
    })
  })

  describe('with canaries', () => {
    const strategy = {
      sitesInParallel: 2,
      healthyMs: 15 * minute,
      canary: { sites: new Set(['c', 'e']), healthyMs: 60 * minute },
    }

    it('A31 begins with all of them', () => {
      expect(stand([], { strategy }).wait).to.deep.equal({
        for: 'batch',
        from: ['c', 'e'],
        size: 2,
        isCanary: true,
      })
    })

    it('A31 lets the others follow once the canaries were healthy for their own time', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      const untilMs = 3 + 60 * minute
      expect(stand(facts, { strategy, nowMs: untilMs - 1 }).wait.for).to.equal('healthy-time')
      expect(stand(facts, { strategy, nowMs: untilMs }).wait).to.deep.equal({
        for: 'batch',
        from: ['a', 'b', 'd'],
        size: 2,
      })
    })

    it('A31 X20 waits for a word, however long that takes, where the deployment says so', () => {
      const byWord = { ...strategy, canary: { ...strategy.canary, healthyMs: 'word' as const } }
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      const nowMs = 99 * minute
      expect(stand(facts, { strategy: byWord, nowMs }).wait).to.deep.equal({ for: 'word', sinceMs: 3 })
      expect(stand([...facts, said(4, 'continue')], { strategy: byWord, nowMs }).wait.for).to.equal('batch')
    })

    it('A31 sites that become canaries while those before are watched are drawn before anybody is asked', () => {
      const facts = [canaries(1, 'c'), reached(2, 'c')]
      const moved = (next: number | 'word', ...sites: readonly string[]) => ({
        strategy: { ...strategy, canary: { sites: new Set(sites), healthyMs: next } },
        nowMs: 5,
      })
      const drawn = (site: string) => ({ for: 'batch', from: [site], size: 1, isCanary: true })
      for (const next of [60 * minute, 'word'] as const) {
        expect(stand(facts, moved(next, 'e')).wait).to.deep.equal(drawn('e'))
        expect(stand(facts, moved(next, 'c', 'e')).wait).to.deep.equal(drawn('e'))
      }
      const second = [...facts, canaries(6, 'e')]
      expect(stand(second, moved('word', 'e')).wait.for).to.equal('sites')
      expect(stand([...second, reached(7, 'e')], moved('word', 'e')).wait.for).to.equal('word')
      const continued = [...facts, said(3, 'continue')]
      expect(stand(continued, moved('word', 'c', 'e')).wait).to.deep.equal({
        for: 'batch',
        from: ['a', 'b', 'd', 'e'],
        size: 2,
      })
    })

    it('A31 the others follow all at once where no number of sites is given', () => {
      const { sitesInParallel: _, ...atOnce } = strategy
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      expect(stand(facts, { strategy: atOnce, nowMs: 99 * minute }).wait).to.deep.equal({
        for: 'batch',
        from: ['a', 'b', 'd'],
        size: 3,
      })
    })

    it('A31 A34 nobody follows as long as no canary has tried it', () => {
      const isReady = (site: string) => site !== 'c' && site !== 'e'
      const found = stand([canaries(1, 'c', 'e')], { strategy, isReady, nowMs: 99 * minute })
      expect(found.wait).to.deep.equal({ for: 'canaries', sites: ['c', 'e'], sinceMs: 1 })
    })

    it('A31 A34 X20 nobody follows canaries that went away on their way to it, unless a person says so', () => {
      const away = { strategy, isReady: (site: string) => site !== 'c' && site !== 'e', nowMs: 99 * minute }
      const facts = [canaries(1, 'c', 'e'), silent(2, 'c'), silent(2, 'e')]
      expect(stand(facts, away).wait).to.deep.equal({ for: 'return', sites: ['c', 'e'], sinceMs: 2 })
      expect(stand([...facts, said(3, 'continue')], away).wait).to.deep.equal({
        for: 'batch',
        from: ['a', 'b', 'd'],
        size: 2,
      })
    })

    it('A31 A35 other canaries try it, where the deployment names others in the middle of a run', () => {
      const other = { ...strategy, canary: { ...strategy.canary, sites: new Set(['b']) } }
      const found = stand([canaries(1, 'c', 'e')], {
        strategy: other,
        isReady: site => site === 'b',
        nowMs: 5,
      })
      expect(found.wait).to.deep.equal({ for: 'batch', from: ['b'], size: 1, isCanary: true })
    })

    it('A31 A35 those that are left try it, where the canaries that have tried it are gone or are none any more', () => {
      const left = { ...strategy, canary: { sites: new Set(['c']), healthyMs: 'word' as const } }
      const due = { for: 'batch', from: ['c'], size: 1, isCanary: true }
      const facts = [canaries(1, 'c', 'e'), reached(2, 'e')]
      // `c` may go on, because it is of the last batch, and nobody follows while it does not answer.
      expect(stand(facts, { strategy: left, nowMs: 5 }).wait).to.deep.include({ for: 'sites', sites: ['c'] })
      const isReady = (site: string) => site !== 'c'
      const away = stand(facts, { strategy: left, isReady, nowMs: 99 * minute })
      expect(away.wait).to.deep.include({ for: 'canaries', sites: ['c'] })
      for (const last of [batch(3, 'a'), canaries(3, 'a')]) {
        const drawn = stand([...facts, last, reached(4, 'a')], { strategy: left, nowMs: 99 * minute })
        expect(drawn.wait).to.deep.equal(due)
      }
    })

    it('A34 a canary that does not answer is not waited for if another one has tried it', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c')]
      const isReady = (site: string) => site !== 'e'
      expect(stand(facts, { strategy, isReady, nowMs: 99 * minute }).wait).to.deep.equal({
        for: 'batch',
        from: ['a', 'b', 'd'],
        size: 2,
      })
    })

    it('A31 G4 nobody follows canaries that were taken out before they tried the version, until a person says so', () => {
      const left = { strategy, sites: ['a', 'b', 'd'], nowMs: 99 * minute }
      const drawn = [canaries(1, 'c', 'e')]
      expect(stand([], left).wait).to.deep.equal({ for: 'canaries', sites: [] })
      expect(stand(drawn, left).wait).to.deep.equal({ for: 'canaries', sites: [], sinceMs: 1 })
      expect(stand([...drawn, said(2, 'continue')], left).wait.for).to.equal('batch')
    })

    it('A31 X20 nobody follows canaries that were taken out while they were watched, or while a person is asked, until a person says so', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      const sites = ['a', 'b', 'd']
      for (const healthyMs of [60 * minute, 'word' as const])
        for (const nowMs of [4, 99 * minute])
          for (const more of [[], [silent(4, 'c'), silent(4, 'e')], [gone(4, 'c'), gone(4, 'e')]]) {
            const left = {
              strategy: { ...strategy, canary: { sites: new Set<string>(), healthyMs } },
              sites,
              nowMs,
            }
            expect(stand([...facts, ...more], left).wait).to.deep.include({
              for: 'return',
              sites: ['c', 'e'],
            })
            expect(stand([...facts, ...more, said(5, 'continue')], left).wait.for).to.equal('batch')
          }
    })

    it('A31 X20 those that are left are enough where others were taken out: they are watched for their time, or a person is asked', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      const sites = ['a', 'b', 'd', 'e']
      const watched = { ...strategy, canary: { ...strategy.canary, sites: new Set(['e']) } }
      const untilMs = 3 + 60 * minute
      expect(stand(facts, { strategy: watched, sites, nowMs: untilMs - 1 }).wait.for).to.equal('healthy-time')
      expect(stand(facts, { strategy: watched, sites, nowMs: untilMs }).wait.for).to.equal('batch')
      const asked = { ...watched, canary: { ...watched.canary, healthyMs: 'word' as const } }
      expect(stand(facts, { strategy: asked, sites, nowMs: untilMs }).wait.for).to.equal('word')
    })

    it('A31 A35 other canaries try it first where those that were watched are gone', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e')]
      const other = { ...strategy, canary: { ...strategy.canary, sites: new Set(['d']) } }
      expect(stand(facts, { strategy: other, sites: ['a', 'b', 'd'], nowMs: 4 }).wait).to.deep.equal({
        ...{ for: 'batch', from: ['d'], size: 1, isCanary: true },
      })
    })

    describe('that go away after they have the version', () => {
      const facts = [canaries(1, 'c', 'e'), reached(2, 'c'), reached(3, 'e'), silent(5, 'e')]
      const away = { strategy, isReady: (site: string) => site !== 'e', nowMs: 99 * minute }

      it('A31 A34 nobody follows until they are back, or a person says so', () => {
        expect(stand(facts, away).wait).to.deep.equal({ for: 'return', sites: ['e'], sinceMs: 5 })
        expect(stand([...facts, said(6, 'continue')], away).wait.for).to.equal('batch')
        expect(stand(facts, { ...away, sites: ['a', 'b', 'c', 'd'] }).wait.for, 'it is taken out').to.equal(
          'batch',
        )
      })

      it('A31 A34 are watched for the whole time anew once they are healthy again', () => {
        const backMs = 90 * minute
        const back = { ...away, isReady: () => true }
        expect(stand(facts, back).wait).to.deep.equal({ for: 'sites', sites: ['e'], sinceMs: 5 })
        const healthy = [...facts, reached(backMs, 'e')]
        const untilMs = backMs + 60 * minute
        expect(stand(healthy, { ...back, nowMs: untilMs - 1 }).wait.for).to.equal('healthy-time')
        expect(stand(healthy, { ...back, nowMs: untilMs }).wait.for).to.equal('batch')
      })

      it('A31 X20 are waited for before a person is asked', () => {
        const byWord = { ...strategy, canary: { ...strategy.canary, healthyMs: 'word' as const } }
        expect(stand(facts, { ...away, strategy: byWord }).wait.for).to.equal('return')
        expect(stand([...facts, reached(6, 'e')], { strategy: byWord }).wait.for).to.equal('word')
      })
    })

    it('A12 where only canaries have another version, nobody else moves', () => {
      const back = [reached(0, 'a'), reached(0, 'b'), reached(0, 'd'), canaries(1, 'c', 'e')]
      expect(stand(back, { strategy }).wait).to.deep.equal({ for: 'sites', sites: ['c', 'e'], sinceMs: 1 })
      expect(stand([...back, reached(2, 'c'), reached(2, 'e')], { strategy }).wait.for).to.equal('done')
    })
  })

  it('a word to go on ends a healthy time', () => {
    const facts = [batch(1, 'a', 'b'), reached(2, 'a'), reached(2, 'b'), said(3, 'continue')]
    expect(stand(facts, { nowMs: 4 }).wait.for).to.equal('batch')
    const next = [...facts, batch(5, 'c', 'd'), reached(6, 'c'), reached(6, 'd')]
    expect(stand(next, { nowMs: 7 }).wait.for).to.equal('healthy-time')
  })

  it('a site that left the deployment is neither open nor waited for', () => {
    const found = stand([batch(1, 'a', 'z'), reached(2, 'a'), reached(2, 'y')], { nowMs: 99 * minute })
    expect(openIn(found)).to.deep.equal(['a'])
    expect(found.wait.for).to.equal('batch')
  })

  it('A32 a batch has at least one site, and never none of those that answer', () => {
    expect(stand([], { strategy: { sitesInParallel: 0, healthyMs: 0 } }).wait).to.include({ size: 1 })
  })
})
