import { expect } from 'chai'
import { type AdvanceInput, advance, type News } from '../../../../lib/reconcile/fleet/advance.ts'
import { asKnownNow } from '../../../../lib/state/fleet/as-known-now.ts'
import { labelsOf } from '../../../../lib/state/fleet/labels.ts'
import type { DeploymentRun, RunFact } from '../../../../lib/state/fleet/run.ts'
import { nothingBegun } from '../../../support/fleet/nothing-begun.ts'

const sites = ['a', 'b', 'c', 'd'].map(name => ({
  name,
  labels: labelsOf([
    ['system/name', name],
    ['system/type', name === 'd' ? 'control-tower' : 'edge'],
    ...(name === 'c' ? ([['try', 'true']] as const) : []),
  ]),
}))

const deployment = {
  name: 'shop-everywhere',
  application: 'shop',
  placement: {
    kind: 'match-site-labels',
    expression: { kind: 'equal', label: 'system/type', value: 'edge' },
    text: 'system/type = edge',
  },
  sitesInParallel: 2,
  healthyMs: 60_000,
  revision: 'r1',
} as const

const run: DeploymentRun = {
  id: 5,
  environment: 'prod',
  deployment: 'shop-everywhere',
  application: 'shop',
  version: '1.0',
  content: 'c1',
  seed: 7,
  atMs: 0,
}

const first: AdvanceInput = {
  ...nothingBegun,
  deployment,
  wanted: { version: '1.0', content: 'c1' },
  sites,
  nowMs: 1_000,
}
const present = { kind: 'present', label: 'system/name' } as const
const known = { a: '', b: '', c: '', d: '' }
const placement = { deployment, sites: ['a', 'b', 'c'], canaries: [], known }
const later: AdvanceInput = { ...first, placement, run }

const kinds = (news: readonly News[]) => news.map(one => (one.is === 'fact' ? one.fact.kind : one.is))
const reached = (site: string, atMs = 2_000): RunFact => ({ kind: 'reached', atMs, site })
const batch = (...drawn: readonly string[]): RunFact => ({ kind: 'batch', atMs: 1_000, sites: drawn })
const failed = (site: string): RunFact => ({ kind: 'failed', atMs: 3_000, site, reason: 'it crashed' })
const everywhere = [batch('a', 'b', 'c'), reached('a'), reached('b'), reached('c')]

describe('the advance of a deployment', () => {
  it('A25 A32 evaluates its sites, begins a run and draws the first batch, in that order', () => {
    const { turn, news } = advance(first)
    expect(kinds(news)).to.deep.equal(['placement', 'run', 'batch'])
    expect([...turn.sites]).to.deep.equal(['a', 'b', 'c'])
    expect(turn.run?.stand.open.size).to.equal(2)
    expect(turn.run?.stand.wait.for).to.equal('sites')
  })

  it('G25 does nothing twice: with what it recorded, there is no news', () => {
    const { news } = advance(first)
    const drawn = asKnownNow(news.flatMap(one => (one.is === 'fact' ? [one.fact] : [])))
    expect(advance({ ...later, facts: drawn, nowMs: 9_000 }).news).to.deep.equal([])
  })

  it('A12 counts sites that have the version already, and draws among the others only', () => {
    const { turn, news } = advance({ ...first, hasIt: site => site !== 'b' })
    expect(kinds(news)).to.deep.equal(['placement', 'run', 'reached', 'reached', 'batch'])
    expect(turn.run?.stand.batches[0]?.sites).to.deep.equal(['b'])
  })

  it('A12 begins anew with another version, an earlier one too', () => {
    const input = { ...later, facts: everywhere, wanted: { version: '0.9', content: 'c0' } }
    expect(kinds(advance(input).news)).to.deep.equal(['run', 'batch'])
  })

  it('A12 counts no site that may be on its way to the version before, whatever was last seen there', () => {
    const was = { wanted: { version: '0.9', content: 'c0' }, hasIt: () => true }
    const drawnAgain = advance({ ...later, ...was, facts: [batch('a', 'b')] })
    expect([...(drawnAgain.turn.run?.stand.reached ?? [])]).to.deep.equal(['c'])
    expect([...(drawnAgain.turn.run?.stand.batches[0]?.sites ?? [])].sort()).to.deep.equal(['a', 'b'])
    const putBack = advance({ ...later, ...was, facts: [batch('a', 'b'), failed('a')] })
    expect([...(putBack.turn.run?.stand.reached ?? [])], 'a pass has looked at it since').to.deep.equal([
      'a',
      'c',
    ])
  })

  it('A12 A34 counts no site that fell silent on its way to the version before, also if others were drawn since', () => {
    const was = { wanted: { version: '0.9', content: 'c0' }, hasIt: (site: string) => site !== 'b' }
    const silent: RunFact = { kind: 'silent', atMs: 1_500, site: 'a' }
    const { turn } = advance({ ...later, ...was, facts: [batch('a'), silent, batch('b'), reached('b')] })
    expect([...(turn.run?.stand.reached ?? [])]).to.deep.equal(['c'])
  })

  it('D17 draws nothing and gives no site the version that it was not given, while others may write', () => {
    const observed = { ...later, moves: false, hasIt: () => false }
    const begun = advance(observed)
    expect([[...(begun.turn.run?.stand.open ?? [])], kinds(begun.news)]).to.deep.equal([[], []])
    const { turn, news } = advance({
      ...observed,
      facts: [batch('a')],
      isSilent: () => true,
      hasBegun: () => true,
    })
    expect([[...(turn.run?.stand.open ?? [])], news]).to.deep.equal([['a'], []])
  })

  it('A11 begins nothing for another content of the version that all have, and takes it over', () => {
    const input = { ...later, facts: everywhere, wanted: { version: '1.0', content: 'c2' } }
    const { turn, news } = advance(input)
    expect(news).to.deep.equal([{ is: 'content', content: 'c2' }])
    expect(turn.run?.of.content).to.equal('c2')
    expect(advance({ ...input, run: { ...run, content: 'c2' } }).news, 'it is on record').to.deep.equal([])
    expect(advance({ ...input, moves: false }).news, 'others bring it on').to.deep.equal([])
  })

  it('A33 begins anew with another content while not all sites have the version: nobody has proved it', () => {
    const facts = [batch('a', 'b'), reached('a')]
    const input = {
      ...later,
      facts,
      wanted: { version: '1.0', content: 'c2' },
      hasIt: (site: string) => site === 'a',
    }
    expect(kinds(advance(input).news)).to.deep.equal(['run', 'reached', 'batch'])
  })

  it('stays paused with another version, until a person resumes it', () => {
    const pause: RunFact = { kind: 'word', atMs: 3_000, word: 'pause', who: 'ann', message: 'change freeze' }
    const input = { ...later, facts: [batch('a', 'b'), pause], wanted: { version: '2.0', content: 'c2' } }
    const { turn, news } = advance(input)
    expect(kinds(news)).to.deep.equal(['run', 'word'])
    expect(turn.run?.stand.wait).to.deep.equal({ for: 'resume', said: pause })
  })

  it('X8 has no run while a person holds a version: all sites get it at once', () => {
    const { turn } = advance({ ...later, isHeld: true })
    expect(turn.run).to.equal(undefined)
  })

  it('X8 A12 forgets who had reached a version once a person held another one at all sites', () => {
    const held = { ...later, wanted: { version: '0.9', content: 'c0' }, isHeld: true }
    const { turn, news } = advance({ ...held, facts: everywhere })
    expect([turn.run, kinds(news)]).to.deep.equal([undefined, ['run']])
    const [begun] = news.flatMap(one => (one.is === 'run' ? [{ id: 6, ...one.run }] : []))
    expect(advance({ ...held, run: begun }).news, 'nothing is recorded twice').to.deep.equal([])
    const resumed = advance({ ...later, run: begun, hasIt: site => site === 'c' })
    expect(kinds(resumed.news)).to.deep.equal(['run', 'reached', 'batch'])
    expect([...(resumed.turn.run?.stand.reached ?? [])]).to.deep.equal(['c'])
  })

  it('A30 A12 forgets who had reached a version once another one went to all sites at once', () => {
    const { sitesInParallel: _, ...atOnce } = deployment
    const another = { ...later, deployment: atOnce, wanted: { version: '0.9', content: 'c0' } }
    const { turn, news } = advance({ ...another, facts: everywhere })
    expect([turn.run?.of.version, kinds(news)]).to.deep.equal(['0.9', ['placement', 'run', 'batch']])
    expect([...(turn.run?.stand.reached ?? [])]).to.deep.equal([])
  })

  it('X8 goes on with its run if the version that was held is the same', () => {
    expect(advance({ ...later, facts: everywhere, isHeld: true }).news).to.deep.equal([])
  })

  it('A12 G25 goes on with what an earlier Tallyman recorded, which hashed the commit of a named version together with it', () => {
    const word = { kind: 'word', atMs: 4_000, word: 'abort', who: 'bob' } as const
    const wanted = { version: '1.0', content: 'c2', former: 'c1' }
    const contentOn = () => ({ content: 'c2', former: 'c1' })
    const aborted = advance({ ...later, facts: [batch('a', 'b'), word], wanted, contentOn })
    expect([aborted.news, aborted.turn.run?.stand.wait.for]).to.deep.equal([[], 'nothing'])
    const crash = { kind: 'failed', atMs: 3_000, site: 'a', reason: 'it crashed', content: 'c1' } as const
    const facts = [batch('a', 'b'), crash]
    const ended = advance({ ...later, facts, wanted, contentOn })
    expect([ended.news, ended.turn.run?.stand.wait.for]).to.deep.equal([[], 'correction'])
    const corrected = advance({ ...later, facts, wanted, contentOn: () => ({ content: 'c3' }) })
    expect(kinds(corrected.news)).to.include('word')
  })

  it('A33 begins anew with another content if the run was aborted, because that may be the correction', () => {
    const facts = [batch('a', 'b'), failed('a')]
    expect(kinds(advance({ ...later, facts }).news)).to.deep.equal([])
    const corrected = { ...later, facts, wanted: { version: '1.0', content: 'c2' } }
    expect(kinds(advance(corrected).news)).to.deep.equal(['run', 'batch'])
  })

  for (const [what, change] of [
    ['another strategy', { revision: 'r2' }],
    ['another version', { version: '1.0' }],
  ] as const)
    it(`A25 X11 follows no label that changes, and no new site, until the deployment says ${what}`, () => {
      const more = [...sites, { name: 'e', labels: labelsOf([['system/type', 'edge']]) }]
      const relabelled = more.map(site => (site.name === 'a' ? { ...site, labels: labelsOf([]) } : site))
      const input = { ...later, facts: everywhere, sites: relabelled }
      expect([...advance(input).turn.sites]).to.deep.equal(['a', 'b', 'c'])
      const updated = advance({ ...input, deployment: { ...deployment, ...change } })
      expect([...updated.turn.sites]).to.deep.equal(['b', 'c', 'e'])
    })

  it('A35 a site that joins gets the version at once if all others have it', () => {
    const input = {
      ...later,
      facts: everywhere,
      deployment: { ...deployment, sitesInParallel: 1, revision: 'r2' },
    }
    const more = ['e', 'f'].map(name => ({ name, labels: labelsOf([['system/type', 'edge']]) }))
    const { turn, news } = advance({ ...input, sites: [...sites, ...more] })
    expect(kinds(news)).to.deep.equal(['placement', 'batch'])
    expect(turn.run?.stand.batches.at(-1)?.sites).to.deep.equal(['e', 'f'])
  })

  it('A35 a site that joins a run that is under way waits for its turn', () => {
    const input = { ...later, facts: [batch('a', 'b')], deployment: { ...deployment, revision: 'r2' } }
    const more = [...sites, { name: 'e', labels: labelsOf([['system/type', 'edge']]) }]
    const { turn, news } = advance({ ...input, sites: more })
    expect(kinds(news)).to.deep.equal(['placement'])
    expect(turn.run?.stand.open.has('e')).to.equal(false)
  })

  it('G4 is refused if it means no site by mistake: that removes nothing', () => {
    const none = {
      ...deployment,
      revision: 'r2',
      placement: {
        ...deployment.placement,
        expression: { kind: 'equal', label: 'system/type', value: 'egde' } as const,
      },
    }
    const { turn, news } = advance({ ...later, deployment: none })
    expect(turn.refused?.message).to.equal(
      'the deployment shop-everywhere means no site, and that removes nothing by mistake',
    )
    expect(news).to.deep.equal([])
  })

  it('G4 A26 means no site if it says so: the application is taken away from all of them', () => {
    const nowhere = {
      ...deployment,
      revision: 'r2',
      placement: { ...deployment.placement, expression: { kind: 'not', of: present } as const },
    }
    const { turn, news } = advance({ ...later, deployment: nowhere })
    expect(turn.refused).to.equal(undefined)
    expect([...turn.sites]).to.deep.equal([])
    expect(kinds(news)).to.deep.equal(['placement'])
  })

  it('A31 is refused if none of its sites is a canary', () => {
    const canary = {
      expression: { kind: 'present', label: 'nobody' },
      text: 'nobody',
      next: { kind: 'word' },
    } as const
    const { turn } = advance({ ...first, deployment: { ...deployment, canary } })
    expect(turn.refused?.code).to.equal('deployment-refused')
    expect(turn.run).to.equal(undefined)
  })

  it('A31 draws the canaries first', () => {
    const canary = {
      expression: { kind: 'present', label: 'try' },
      text: 'try',
      next: { kind: 'healthy', healthyMs: 5_000 },
    } as const
    const { turn } = advance({ ...first, deployment: { ...deployment, canary } })
    expect(turn.run?.stand.batches).to.deep.equal([
      { kind: 'batch', atMs: 1_000, sites: ['c'], isCanary: true },
    ])
  })

  it('A30 opens all sites where they get a version at once, ready or not', () => {
    const { sitesInParallel: _, ...others } = deployment
    const atOnce = { ...others, healthyMs: 0 }
    const { turn, news } = advance({ ...first, deployment: atOnce, isReady: site => site === 'a' })
    expect([...(turn.run?.stand.open ?? [])].sort()).to.deep.equal(['a', 'b', 'c'])
    expect(turn.run?.stand.wait).to.deep.equal({ for: 'sites', sites: ['a'], sinceMs: 1_000 })
    expect(kinds(news)).to.deep.equal(['placement', 'run', 'batch'])
  })

  it('A30 A32 has all sites that are ready in one batch, which is watched, where only a healthy time is said', () => {
    const { sitesInParallel: _, ...watched } = deployment
    const { turn } = advance({ ...first, deployment: watched })
    expect(turn.run?.stand.batches.map(({ sites }) => sites.toSorted())).to.deep.equal([['a', 'b', 'c']])
    const facts = ['a', 'b', 'c'].map(site => ({ kind: 'reached', atMs: 1_000, site }) as const)
    const run = { ...turn.run?.of, id: 1 } as DeploymentRun
    const batch = { kind: 'batch', atMs: 1_000, sites: ['a', 'b', 'c'] } as const
    const after = advance({ ...later, deployment: watched, run, facts: [batch, ...facts], nowMs: 2_000 })
    expect(after.turn.run?.stand.wait).to.include({ for: 'done' }).and.to.have.property('untilMs')
  })

  it('D15 goes on with nothing while the application cannot be read', () => {
    const { turn, news } = advance({ ...later, wanted: undefined })
    expect([turn.run, news]).to.deep.equal([undefined, []])
    expect([...turn.sites]).to.deep.equal(['a', 'b', 'c'])
  })

  it('a site that left the environment is neither drawn nor waited for', () => {
    const { turn } = advance({ ...later, sites: sites.filter(({ name }) => name !== 'b') })
    expect([...turn.sites]).to.deep.equal(['a', 'c'])
    expect([...(turn.run?.stand.batches[0]?.sites ?? [])].sort()).to.deep.equal(['a', 'c'])
  })
})

describe('a site that has another name now', () => {
  const known = { a: 'tcp://a:1', b: 'tcp://b:1', c: 'tcp://c:1', d: 'tcp://d:1' }
  const siteOf = (name: string, endpoint: string) => ({ name, endpoint, labels: labelsOf([]) })
  const now = (name: string, endpoint: string) => [
    siteOf(name, endpoint),
    ...['b', 'c', 'd'].map(site => siteOf(site, `tcp://${site}:1`)),
  ]
  const placed = { ...placement, canaries: ['a'], known }
  const input = { ...later, placement: placed, facts: everywhere }

  it('A25 keeps its place in the deployment, because it is the same engine', () => {
    const { turn, news } = advance({ ...input, sites: now('z', 'tcp://a:1') })
    expect([...turn.sites]).to.deep.equal(['z', 'b', 'c'])
    expect([...(turn.joined ?? [])]).to.deep.equal([])
    expect(news[0]).to.deep.equal({
      is: 'placement',
      placement: {
        ...placed,
        sites: ['z', 'b', 'c'],
        canaries: ['z'],
        known: { z: 'tcp://a:1', b: 'tcp://b:1', c: 'tcp://c:1', d: 'tcp://d:1' },
      },
    })
  })

  it('A25 A31 X20 is the canary that has tried the version, and what a person said then counts', () => {
    const canary = {
      expression: { kind: 'equal', label: 'system/name', value: 'a' },
      text: 'system/name = a',
      next: { kind: 'word' },
    } as const
    const named = { ...deployment, canary }
    const facts: readonly RunFact[] = [
      { kind: 'batch', atMs: 1_000, sites: ['a'], isCanary: true },
      reached('a'),
      { kind: 'word', atMs: 2_500, word: 'continue', who: 'ann' },
      { kind: 'batch', atMs: 3_000, sites: ['b'] },
    ]
    const before = { ...input, deployment: named, placement: { ...placed, deployment: named }, facts }
    const { turn, news } = advance({ ...before, sites: now('z', 'tcp://a:1'), nowMs: 9_000 })
    expect(kinds(news)).to.deep.equal(['placement', 'renamed'])
    expect([...(turn.run?.stand.reached ?? [])]).to.deep.equal(['z'])
    expect(turn.run?.stand.wait).to.deep.equal({ for: 'sites', sites: ['b'], sinceMs: 3_000 })
    expect(turn.run?.stand.batches[0]?.sites).to.deep.equal(['z'])
  })

  /** The placement and what happened, after sites got these endpoints. */
  const moving = (endpoints: Readonly<Record<string, string>>) => {
    const facts = [batch('a', 'c'), reached('a'), failed('c')]
    const all = Object.entries(endpoints).map(([name, endpoint]) => siteOf(name, endpoint))
    const { news } = advance({ ...input, sites: all, facts })
    const recorded = news.flatMap(one => (one.is === 'fact' ? [one.fact] : []))
    const [drawn, ...others] = asKnownNow([...facts, ...recorded])
    const placement = news.flatMap(one => (one.is === 'placement' ? [one.placement] : []))[0]
    return {
      known: placement?.known,
      sites: placement?.sites,
      canaries: placement?.canaries,
      drawn: drawn?.kind === 'batch' ? drawn.sites : [],
      others: others.map(fact => ('site' in fact ? `${fact.kind} ${fact.site}` : fact.kind)),
    }
  }

  it('A25 A32 exchanges its place with another one if they exchange their endpoints', () => {
    const exchanged = { ...known, a: known.b, b: known.a }
    expect(moving(exchanged)).to.deep.equal({
      ...{ known: exchanged, sites: ['b', 'a', 'c'], canaries: ['b'] },
      ...{ drawn: ['b', 'c'], others: ['reached b', 'failed c'] },
    })
    const round = { ...known, a: known.b, b: known.c, c: known.a }
    expect(moving(round)).to.deep.equal({
      ...{ known: round, sites: ['c', 'a', 'b'], canaries: ['c'] },
      ...{ drawn: ['c', 'b'], others: ['reached c', 'failed b'] },
    })
  })

  it('A25 may be called as something that every object has', () => {
    const { a: _, ...others } = known
    expect(moving({ ...others, constructor: known.a }).drawn).to.deep.equal(['constructor', 'c'])
  })

  it('A25 A32 leaves its place to the name that has its endpoint, and gets that of the engine that is gone', () => {
    const moved = { ...known, a: 'tcp://new:1', b: known.a }
    expect(moving(moved)).to.deep.equal({
      ...{ known: moved, sites: ['b', 'a', 'c'], canaries: ['b'] },
      ...{ drawn: ['b', 'c'], others: ['reached b', 'failed c'] },
    })
    const { b: _, ...others } = known
    expect(moving({ ...others, a: known.b })).to.deep.equal({
      ...{ known: { ...others, a: known.b, b: known.a }, sites: ['b', 'a', 'c'], canaries: ['b'] },
      ...{ drawn: ['b', 'c'], others: ['reached b', 'failed c'] },
    })
    const fresh = { ...known, a: 'tcp://new:1', z: known.a }
    const { a: __, ...stayed } = fresh
    expect(moving(fresh)).to.deep.equal({
      ...{ known: stayed, sites: ['z', 'b', 'c'], canaries: ['z'] },
      ...{ drawn: ['z', 'c'], others: ['reached z', 'failed c'] },
    })
  })

  it('A25 keeps its place under its name if its endpoint is a new one, and whoever gets the former one is another site', () => {
    const moved = { ...known, a: 'tcp://new:1' }
    expect(moving(moved)).to.deep.include({ known: moved, sites: ['a', 'b', 'c'], drawn: ['a', 'c'] })
    const { news, turn } = advance({
      ...input,
      placement: { ...placed, known: moved },
      sites: Object.entries({ ...moved, z: known.a }).map(([name, endpoint]) => siteOf(name, endpoint)),
    })
    expect(kinds(news)).to.deep.equal([])
    expect([...(turn.joined ?? [])]).to.deep.equal(['z'])
  })

  it('A25 has no place in it if its engine is another one, and loses nothing', () => {
    const { turn, news } = advance({ ...input, sites: now('z', 'tcp://z:1') })
    expect([...turn.sites]).to.deep.equal(['b', 'c'])
    expect([...(turn.joined ?? [])]).to.deep.equal(['z'])
    expect(kinds(news)).to.deep.equal([])
  })
})
