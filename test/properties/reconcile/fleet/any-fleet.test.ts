import { expect } from 'chai'
import fc from 'fast-check'
import type { PlacedSites } from '../../../../lib/journal/fleet/placements.ts'
import { type AdvanceInput, advance } from '../../../../lib/reconcile/fleet/advance.ts'
import type { DeploymentTurn } from '../../../../lib/reconcile/fleet/turns.ts'
import { asKnownNow } from '../../../../lib/state/fleet/as-known-now.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'
import { labelsOf } from '../../../../lib/state/fleet/labels.ts'
import type { DeploymentRun, RunFact, RunWord } from '../../../../lib/state/fleet/run.ts'

/**
 * Something happens to a fleet. A site is meant by its number, modulo how many there are: mostly of those of the last
 * batch, because of the others there is little to tell.
 */
type Happening =
  | { readonly what: 'begins' | 'works' | 'fails' | 'goes away' | 'comes back'; readonly site: number }
  | { readonly what: 'is not meant' | 'loses it' | 'is meant'; readonly site: number }
  | { readonly what: 'stops' | 'leaves' | 'joins' | 'gets the other label'; readonly site: number }
  | { readonly what: 'time passes'; readonly ms: number }
  | { readonly what: 'word'; readonly word: RunWord }
  | { readonly what: 'commit'; readonly version: number; readonly content: number }
  | { readonly what: 'kill' }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constantFrom('begins' as const, 'works' as const),
      site: fc.nat(99),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom('fails' as const, 'goes away' as const, 'comes back' as const),
      site: fc.nat(99),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('is not meant' as const, 'loses it' as const, 'is meant' as const),
      site: fc.nat(99),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom(
        'stops' as const,
        'leaves' as const,
        'joins' as const,
        'gets the other label' as const,
      ),
      site: fc.nat(99),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('time passes' as const), ms: fc.nat(80_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('word' as const),
      word: fc.constantFrom<RunWord>('continue', 'pause', 'resume', 'abort'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('commit' as const),
      version: fc.integer({ min: 1, max: 3 }),
      content: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ what: 'kill' } as const) },
)

const fleet: fc.Arbitrary<FleetShape> = fc.record({
  count: fc.integer({ min: 1, max: 12 }),
  parallel: fc.integer({ min: 1, max: 5 }),
  canaries: fc.integer({ min: 0, max: 3 }),
  byWord: fc.boolean(),
  seed: fc.nat(),
})

type FleetShape = {
  readonly count: number
  readonly parallel: number
  readonly canaries: number
  readonly byWord: boolean
  readonly seed: number
}

/** A fleet, what the journal has of its deployment, and what a process remembers, which a kill takes. */
class Model {
  nowMs = 0
  revisions = 0
  wanted = { version: '1', content: 'c1' }
  readonly away = new Set<string>()
  /** The sites that the deployment does not mean. */
  readonly unmeant = new Set<string>()
  /** Those that it means again, or that became canaries meanwhile. */
  readonly returned = new Set<string>()
  /** The sites that were taken out of the configuration. */
  readonly gone = new Set<string>()
  /** The sites that have the label of canaries, and those that ever had it. */
  readonly tries: Set<string>
  readonly triedOnce: Set<string>
  /** The sites that have begun the version of the run, and neither reached it nor failed. */
  readonly begun = new Set<string>()
  /** Whether the last batch is of sites that joined when all others had the version: these get it at once (A35). */
  isOfJoining = false
  /** What the version of the run consisted of before, when all sites had it: another content goes everywhere at once (A11). */
  readonly proved = new Set<string>()
  readonly versions = new Map<string, string>()
  readonly contents = new Map<string, string>()
  placement: PlacedSites | undefined
  run: DeploymentRun | undefined
  facts: readonly RunFact[] = []
  turn: DeploymentTurn | undefined
  deployment: Deployment
  readonly names: readonly string[]

  readonly parallel: number
  readonly seed: number

  constructor({ parallel, count, canaries, byWord, seed }: FleetShape) {
    this.parallel = parallel
    this.seed = seed
    this.names = Array.from({ length: count }, (_, index) => `s${index}`)
    this.tries = new Set(this.names.slice(0, canaries))
    this.triedOnce = new Set(this.tries)
    this.deployment = {
      name: 'shop',
      application: 'shop',
      placement: {
        kind: 'match-site-labels',
        expression: { kind: 'present', label: 'meant' },
        text: 'meant',
      },
      sitesInParallel: parallel,
      healthyMs: 60_000,
      revision: 'r0',
      ...(canaries === 0
        ? {}
        : {
            canary: {
              expression: { kind: 'present', label: 'try' },
              text: 'try',
              next: byWord ? { kind: 'word' } : { kind: 'healthy', healthyMs: 30_000 },
            },
          }),
    }
    this.advance()
  }

  private input(): AdvanceInput {
    return {
      environment: 'prod',
      deployment: this.deployment,
      isHeld: false,
      wanted: this.wanted,
      sites: this.names.flatMap(name =>
        this.gone.has(name)
          ? []
          : [
              {
                name,
                endpoint: `tcp://${name}:1`,
                labels: labelsOf([
                  ...(this.tries.has(name) ? ([['try', '']] as const) : []),
                  ...(this.unmeant.has(name) ? [] : ([['meant', '']] as const)),
                ]),
              },
            ],
      ),
      placement: this.placement,
      run: this.run,
      facts: this.facts,
      isReady: site => !this.isAway(site),
      isSilent: site => this.isAway(site),
      hasBegun: site => this.begun.has(site),
      moves: true,
      hasIt: site =>
        this.versions.get(site) === this.wanted.version && this.contents.get(site) === this.wanted.content,
      hasVersion: site => this.versions.get(site) === this.wanted.version,
      mayRun: () => false,
      nowMs: this.nowMs,
      seed: this.seed,
    }
  }

  advance(): void {
    const before = this.open()
    const members = new Set(this.placement?.sites)
    const { turn, news } = advance(this.input())
    const isNew = news.some(({ is }) => is === 'placement')
    for (const one of news) {
      if (one.is === 'run') this.begun.clear()
      if (one.is === 'fact' && one.fact.kind === 'batch') {
        const { sites, isCanary } = one.fact
        // What all others have goes to those that join at once, and who becomes a canary is watched with the others.
        this.isOfJoining = isNew && !sites.some(site => members.has(site))
        if (!this.isOfJoining && !(isCanary && sites.every(site => this.returned.has(site))))
          this.checkDraw(isCanary === true)
      }
      if (one.is === 'placement') this.placement = one.placement
      else if (one.is === 'run') {
        this.run = { ...one.run, id: (this.run?.id ?? 0) + 1 }
        this.facts = []
        this.proved.clear()
      } else if (one.is === 'fact') this.facts = [...asKnownNow([...this.facts, one.fact])]
      else if (this.run !== undefined) {
        this.proved.add(this.run.content)
        this.run = { ...this.run, content: one.content }
      }
    }
    this.turn = turn
    this.check(before)
  }

  /** What must be so when a batch is drawn after another one: what somebody saw of that one, unless a person said to go on. */
  private checkDraw(isCanary: boolean): void {
    const at = this.facts.findLastIndex(({ kind }) => kind === 'batch')
    const [last, since] = [this.facts[at], this.facts.slice(at)]
    if (last?.kind !== 'batch' || since.some(fact => fact.kind === 'word' && fact.word === 'continue')) return
    const isReached = (site: string) => (fact: RunFact) => fact.kind === 'reached' && fact.site === site
    // A canary that has the version already proves it from the draw on.
    const had = (site: string) => last.isCanary === true && this.facts.slice(0, at).some(isReached(site))
    const has = (site: string) => had(site) || since.some(isReached(site))
    const isMeant = (site: string) => this.placement?.sites.includes(site) === true && !this.gone.has(site)
    const tried = last.sites.filter(site => isMeant(site) && (has(site) || this.begun.has(site)))
    const proofs = tried.filter(site => has(site) && !this.isAway(site))
    const halfway = [...this.begun].filter(site => isMeant(site) && !this.isAway(site))
    expect(halfway, 'sites that are on their way').to.deep.equal([])
    if (tried.length > 0) expect(proofs, 'the sites that prove the batch before').to.not.deep.equal([])
    // Where no canary has the version, because those that had it are gone or not meant any more, canaries wait for nobody.
    const hasTried = (site: string) => isMeant(site) && this.facts.some(isReached(site))
    const isTriedAnew = isCanary && ![...this.tries].some(hasTried)
    const healthy = (site: string) =>
      has(site) && since.findLast(fact => 'site' in fact && fact.site === site)?.kind !== 'silent'
    const isPlaced = (site: string) => this.placement?.sites.includes(site) === true
    const isLeft = (site: string) => !isMeant(site) && (last.isCanary === true || isPlaced(site))
    const left = last.sites.filter(site => isLeft(site) && healthy(site))
    if (!isTriedAnew && proofs.length === 0)
      expect(left, 'healthy sites of the batch before that were taken out').to.deep.equal([])
    if (last.isCanary) expect(proofs, 'all canaries that have it').to.deep.equal(tried.filter(has))
    if (isTriedAnew) return
    const healthyMs = last.isCanary ? 30_000 : 60_000
    for (const site of proofs) {
      const own = since.findLast(fact => 'site' in fact && fact.site === site)
      if (!had(site) || own !== undefined)
        expect(own?.kind, `what was last found on ${site}`).to.equal('reached')
      const sinceMs = own?.atMs ?? last.atMs
      expect(this.nowMs - sinceMs, `for how long ${site} was healthy`).to.be.at.least(healthyMs)
      expect([this.wanted.content, ...this.proved], `what ${site} has`).to.include(this.contents.get(site))
    }
  }

  /** What must be so after every step. */
  private check(before: ReadonlySet<string>): void {
    const stand = this.turn?.run?.stand
    if (stand === undefined) return
    for (const site of stand.reached)
      expect(this.versions.get(site), `what ${site} runs, which has reached it`).to.equal(this.run?.version)
    // Another content of a version that stays goes to all sites that have it.
    // A site that was away since it began is finished when it is back, whoever was drawn meanwhile.
    const moving = [...stand.open].filter(
      site => !stand.reached.has(site) && !stand.had.has(site) && !stand.begun.has(site),
    )
    const isCanary = stand.batches.at(-1)?.isCanary === true
    const most = this.isOfJoining ? this.names.length : isCanary ? this.triedOnce.size : this.parallel
    expect(moving.length, 'sites that change at once').to.be.at.most(most)
    if (stand.wait.for === 'done') expect([...stand.lost], 'sites that nobody sees').to.deep.equal([])
    if (stand.wait.for === 'correction' || stand.wait.for === 'nothing')
      expect([...stand.open].every(site => stand.reached.has(site) || before.has(site))).to.equal(true)
    if (stand.wait.for === 'correction') expect(moving, 'after an abort').to.deep.equal([])
  }

  private isAway(name: string): boolean {
    return this.away.has(name) || this.gone.has(name)
  }

  open(): ReadonlySet<string> {
    return new Set(this.turn?.run?.stand.open)
  }

  private nameOf(site: number): string {
    const batch = this.turn?.run?.stand.batches.at(-1)?.sites ?? []
    const among = site % 4 === 0 || batch.length === 0 ? this.names : batch
    return among[Math.floor(site / 4) % among.length] ?? ''
  }

  happen(one: Happening): void {
    const name = 'site' in one ? this.nameOf(one.site) : ''
    switch (one.what) {
      case 'begins':
        if (this.open().has(name) && !this.isAway(name) && !this.turn?.run?.stand.reached.has(name))
          this.begun.add(name)
        break
      case 'works':
        this.reach(name)
        break
      case 'fails':
        if (this.open().has(name) && !this.isAway(name))
          this.facts = [...this.facts, { kind: 'failed', atMs: this.nowMs, site: name, reason: 'it crashed' }]
        break
      case 'goes away':
        this.away.add(name)
        break
      case 'comes back':
        this.away.delete(name)
        break
      case 'is not meant':
        // What means no site at all, or no canary, is refused.
        if (name === this.names[0] || this.unmeant.has(name)) break
        this.unmeant.add(name)
        this.evaluate()
        break
      case 'loses it':
        for (const has of this.unmeant.has(name) ? [this.versions, this.contents, this.begun] : [])
          has.delete(name)
        break
      case 'is meant':
        if (this.unmeant.has(name)) this.meanAgain(name)
        break
      case 'stops':
        if (this.turn?.run?.stand.reached.has(name) && !this.isAway(name))
          this.facts = [...this.facts, { kind: 'stopped', atMs: this.nowMs, site: name }]
        break
      case 'leaves':
        if (name !== this.names[0]) this.gone.add(name)
        break
      case 'joins':
        this.comeBack(name)
        break
      case 'gets the other label':
        // A deployment whose expression means no canary is refused.
        if (name !== this.names[0] && this.triedOnce.size > 0) this.label(name)
        break
      case 'time passes':
        this.nowMs += one.ms
        break
      case 'word':
        this.facts = [...this.facts, { kind: 'word', atMs: this.nowMs, word: one.word, who: 'ann' }]
        break
      case 'commit':
        this.wanted = { version: String(one.version), content: `c${one.version}.${one.content}` }
        break
      case 'kill':
        this.turn = undefined
    }
    this.advance()
  }

  /** The deployment is changed, or deployed again, so that its sites are evaluated. */
  private evaluate(): void {
    this.revisions += 1
    this.deployment = { ...this.deployment, revision: `r${this.revisions}` }
  }

  private label(name: string): void {
    if (!this.tries.delete(name)) this.tries.add(name)
    this.triedOnce.add(name)
    this.returned.add(name)
    this.evaluate()
  }

  private comeBack(name: string): void {
    if (this.gone.delete(name)) this.returned.add(name)
  }

  private meanAgain(name: string): void {
    this.unmeant.delete(name)
    this.returned.add(name)
    this.evaluate()
  }

  /** A pass over a site brings it to the version if it may have it, and tells so. */
  reach(name: string): void {
    if (this.isAway(name) || !this.open().has(name) || this.run === undefined) return
    const stand = this.turn?.run?.stand
    const isAwaited = stand?.reached.has(name) !== true || stand.recheck.has(name)
    this.versions.set(name, this.run.version)
    this.contents.set(name, this.wanted.content)
    this.begun.delete(name)
    if (isAwaited) this.facts = [...this.facts, { kind: 'reached', atMs: this.nowMs, site: name }]
  }

  /** Faults end, and a person says what a person is asked for. */
  settle(): void {
    this.away.clear()
    for (const name of [...this.gone]) this.comeBack(name)
    this.evaluate()
    this.advance()
    for (const name of [...this.unmeant]) {
      this.meanAgain(name)
      this.advance()
    }
    for (let step = 0; step < 200; step += 1) {
      const wait = this.turn?.run?.stand.wait.for
      if (wait === 'done' && this.names.every(name => this.versions.get(name) === this.wanted.version)) return
      if (wait === 'word' || wait === 'return') this.happen({ what: 'word', word: 'continue' })
      else if (wait === 'resume' || wait === 'correction' || wait === 'nothing')
        this.happen({ what: 'word', word: 'resume' })
      for (const name of this.names) this.reach(name)
      this.happen({ what: 'time passes', ms: 60_000 })
    }
    throw new Error(`does not end: ${JSON.stringify(this.turn?.run?.stand.wait)}`)
  }
}

describe('any fleet', () => {
  it('A11 A32 A33 A34 G25 changes never more sites at once than it may, goes on only after what somebody saw healthy, touches nothing after an abort, and comes to its end', () => {
    fc.assert(
      fc.property(fleet, fc.array(happening, { minLength: 30, maxLength: 90 }), (one, happenings) => {
        const model = new Model(one)
        for (const each of happenings) model.happen(each)
        model.settle()
      }),
      { numRuns: 200 },
    )
  })
})
