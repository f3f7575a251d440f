import { expect } from 'chai'
import { runFacts } from '../../../../lib/journal/fleet/runs.ts'
import { journalIn } from '../../../../lib/journal/journal.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'
import type { DeploymentRun, RecordedFact, RunFact } from '../../../../lib/state/fleet/run.ts'
import { memoryDatabase, memoryJournal } from '../../../support/memory/memory-journal.ts'

const run: Omit<DeploymentRun, 'id'> = {
  environment: 'prod',
  deployment: 'shop-everywhere',
  application: 'shop',
  version: '2.0',
  content: 'c1',
  seed: 7,
  atMs: 1,
}

const facts: readonly RunFact[] = [
  { kind: 'batch', atMs: 2, sites: ['a', 'b'], isCanary: true },
  { kind: 'reached', atMs: 3, site: 'a' },
  { kind: 'failed', atMs: 4, site: 'b', reason: 'it crashed' },
  { kind: 'word', atMs: 5, word: 'resume', who: 'ann', message: 'power was cut' },
  { kind: 'word', atMs: 6, word: 'pause', who: 'ann' },
  { kind: 'batch', atMs: 7, sites: ['c'] },
  { kind: 'hindered', atMs: 8, site: 'c' },
  { kind: 'hindered', atMs: 9, site: 'c', untilMs: 90_000 },
]

describe('the runs of deployments', () => {
  it('G17 begin with what many sites have in as few statements as with what one has', () => {
    const statements = (size: number) => {
      const database = memoryDatabase()
      let count = 0
      const counted =
        <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
        (...args: Args) => {
          count += 1
          return call(...args)
        }
      const journal = journalIn({
        ...database,
        ...{ get: counted(database.get), all: counted(database.all), run: counted(database.run) },
      })
      const reached = Array.from(
        { length: size },
        (_, index): RunFact => ({ kind: 'reached', atMs: 2, site: `store-${index}` }),
      )
      count = 0
      const { id } = journal.beginRun(run, [...reached, ...facts])
      const needed = count
      expect(journal.facts(id, 0).map(({ fact }) => fact)).to.deep.equal([...reached, ...facts])
      return needed
    }
    expect(statements(1_000)).to.equal(statements(1))
  })

  it('A30 are found again with all that happened in them, in that order', () => {
    const journal = memoryJournal()
    expect(journal.run('prod', 'shop')).to.equal(undefined)
    const begun = journal.beginRun(run)
    for (const fact of facts) journal.addFact(begun.id, fact)
    expect(journal.run('prod', 'shop')).to.deep.equal({ ...run, id: begun.id })
    expect(journal.facts(begun.id, 0).map(({ fact }) => fact)).to.deep.equal(facts)
  })

  it('A33 keep where something was stopped or ended by itself, and was started again', () => {
    const journal = memoryJournal()
    const { id } = journal.beginRun(run)
    const found: readonly RunFact[] = [
      { kind: 'stopped', atMs: 2, site: 'a' },
      { kind: 'stopped', atMs: 3, site: 'b', isEnd: true },
      { kind: 'reached', atMs: 4, site: 'c', isRestarted: true },
      { kind: 'reached', atMs: 5, site: 'd', isRestarted: true, isEnd: true },
      { kind: 'reached', atMs: 6, site: 'e', isOwn: true },
      { kind: 'reached', atMs: 7, site: 'f', isRestarted: true, isOwn: true },
    ]
    for (const fact of found) journal.addFact(id, fact)
    expect(journal.facts(id, 0).map(({ fact }) => fact)).to.deep.equal(found)
  })

  it('G24 A32 forget that a site stopped, once it is back, and tell who reads on what is new', () => {
    const journal = memoryJournal()
    const [other, { id }] = [journal.beginRun(run), journal.beginRun({ ...run, version: '2.1' })]
    journal.addFact(other.id, { kind: 'stopped', atMs: 1, site: 'a' })
    for (const atMs of [2, 3, 4]) {
      journal.addFact(id, { kind: 'stopped', atMs, site: 'a' })
      journal.addFact(id, { kind: 'reached', atMs, site: 'a' })
    }
    const before: readonly RunFact[] = [
      { kind: 'stopped', atMs: 5, site: 'b' },
      { kind: 'batch', atMs: 6, sites: ['c'] },
      { kind: 'stopped', atMs: 7, site: 'a' },
    ]
    for (const fact of before) journal.addFact(id, fact)
    const last = journal.facts(id, 0).at(-1)?.entry ?? 0
    journal.addFact(id, { kind: 'reached', atMs: 8, site: 'a' })
    expect(journal.facts(id, 0).map(({ fact }) => fact)).to.deep.equal([
      { kind: 'reached', atMs: 4, site: 'a' },
      { kind: 'stopped', atMs: 5, site: 'b' },
      { kind: 'batch', atMs: 6, sites: ['c'] },
      { kind: 'reached', atMs: 8, site: 'a' },
    ])
    expect(journal.facts(id, last).map(({ fact }) => fact)).to.deep.equal([
      { kind: 'reached', atMs: 8, site: 'a' },
    ])
    expect(journal.facts(other.id, 0)).to.have.length(1)
  })

  it('A11 take over what their version consists of now, and what happened in them stays', () => {
    const journal = memoryJournal()
    const begun = journal.beginRun(run, [{ kind: 'batch', atMs: 2, sites: ['a'] }])
    const now = { ...begun, content: 'another' }
    expect(journal.setContent(begun, 'another')).to.deep.equal(now)
    expect(journal.run(run.environment, run.application)).to.deep.equal(now)
    expect(journal.facts(begun.id, 0)).to.have.length(1)
  })

  it('A25 are told with the present names of their sites, and a name that another site bears later means that one', () => {
    const journal = memoryJournal()
    const begun = journal.beginRun(run)
    const recorded: readonly RecordedFact[] = [
      { kind: 'batch', atMs: 2, sites: ['a', 'b'], isCanary: true },
      { kind: 'reached', atMs: 3, site: 'a' },
      { kind: 'renamed', atMs: 4, site: 'a', to: 'z' },
      { kind: 'silent', atMs: 5, site: 'z' },
      { kind: 'silent', atMs: 5, site: 'b', isGone: true },
      { kind: 'reached', atMs: 6, site: 'a' },
    ]
    for (const fact of recorded) journal.addFact(begun.id, fact)
    expect(journal.facts(begun.id, 0).map(({ fact }) => fact)).to.deep.equal(recorded)
    expect(runFacts(journal, begun)).to.deep.equal([
      { kind: 'batch', atMs: 2, sites: ['z', 'b'], isCanary: true },
      { kind: 'reached', atMs: 3, site: 'z' },
      { kind: 'silent', atMs: 5, site: 'z' },
      { kind: 'silent', atMs: 5, site: 'b', isGone: true },
      { kind: 'reached', atMs: 6, site: 'a' },
    ])
  })

  it('A25 tell nothing of what happened on a site before it joined anew, except that it was given the version, and that this failed there', () => {
    const journal = memoryJournal()
    const begun = journal.beginRun(run)
    const recorded: readonly RecordedFact[] = [
      { kind: 'had', atMs: 1, sites: ['a', 'b'] },
      { kind: 'batch', atMs: 2, sites: ['a', 'b', 'c'], isCanary: true },
      { kind: 'reached', atMs: 3, site: 'a' },
      { kind: 'reached', atMs: 3, site: 'b' },
      { kind: 'failed', atMs: 4, site: 'b', reason: 'it crashed' },
      { kind: 'word', atMs: 5, word: 'resume', who: 'ann' },
      { kind: 'renamed', atMs: 6, site: 'a', to: 'z' },
      { kind: 'joined', atMs: 7, sites: ['z', 'b'] },
      { kind: 'reached', atMs: 8, site: 'b' },
      { kind: 'renamed', atMs: 9, site: 'z', to: 'y' },
    ]
    for (const fact of recorded) journal.addFact(begun.id, fact)
    expect(journal.facts(begun.id, 0).map(({ fact }) => fact)).to.deep.equal(recorded)
    expect(runFacts(journal, begun)).to.deep.equal([
      { kind: 'had', atMs: 1, sites: [], left: ['y', 'b'] },
      { kind: 'batch', atMs: 2, sites: ['c'], isCanary: true, left: ['y', 'b'] },
      { kind: 'failed', atMs: 4, site: 'b', reason: 'it crashed' },
      { kind: 'word', atMs: 5, word: 'resume', who: 'ann' },
      { kind: 'reached', atMs: 8, site: 'b' },
    ])
  })

  it('A11 keep which sites had the version with another content', () => {
    const journal = memoryJournal()
    const { id } = journal.beginRun(run)
    const had: RunFact = { kind: 'had', atMs: 2, sites: ['a', 'c'] }
    journal.addFact(id, had)
    expect(journal.facts(id, 0).map(({ fact }) => fact)).to.deep.equal([had])
  })

  it('A30 tell only what is new to who knows what was before', () => {
    const journal = memoryJournal()
    const { id } = journal.beginRun(run)
    for (const fact of facts.slice(0, 3)) journal.addFact(id, fact)
    const last = journal.facts(id, 0).at(-1)?.entry ?? 0
    expect(journal.facts(id, last)).to.deep.equal([])
    journal.addFact(id, facts[3] as RunFact)
    expect(journal.facts(id, last).map(({ fact }) => fact)).to.deep.equal([facts[3]])
  })

  it('A12 the newest of an application counts, and those of others are left alone', () => {
    const journal = memoryJournal()
    const other = journal.beginRun({ ...run, application: 'web' })
    const elsewhere = journal.beginRun({ ...run, environment: 'devel' })
    journal.beginRun(run)
    const back = journal.beginRun({ ...run, version: '1.0' })
    expect(journal.run('prod', 'shop')).to.deep.equal(back)
    expect(journal.run('prod', 'web')).to.deep.equal(other)
    expect(journal.run('devel', 'shop')).to.deep.equal(elsewhere)
  })

  it('G24 A33 those before the last five keep what failed and what people said, and after 32 they are forgotten', () => {
    const journal = memoryJournal()
    const begin = (version: number) => {
      const { id } = journal.beginRun({ ...run, version: `${version}.0` })
      for (const fact of facts) journal.addFact(id, fact)
      return id
    }
    const ids = [1, 2, 3, 4, 5, 6].map(begin)
    const lengths = () => ids.map(id => journal.facts(id, 0).length)
    expect(lengths()).to.deep.equal([3, 8, 8, 8, 8, 8])
    for (let version = 7; version <= 33; version += 1) begin(version)
    expect(lengths()).to.deep.equal([0, 3, 3, 3, 3, 3])
  })

  it('A33 the newest of each version tells what failed in it and what people said', () => {
    const journal = memoryJournal()
    for (const version of ['2.0', '3.0', '2.0']) {
      const { id } = journal.beginRun({ ...run, version })
      for (const fact of facts.slice(0, version === '3.0' ? 3 : 2)) journal.addFact(id, fact)
    }
    const { id } = journal.beginRun({ ...run, application: 'web', version: '4.0' })
    journal.addFact(id, facts[2] as RunFact)
    expect(journal.judgedRuns('prod', 'shop')).to.deep.equal([
      { of: { id: id - 2, version: '3.0' }, facts: [facts[2]] },
      { of: { id: id - 1, version: '2.0' }, facts: [] },
    ])
  })

  it('A33 G24 only what was said and failed since it last went on judges a run, however often it failed and went on before', () => {
    const journal = memoryJournal()
    const { id } = journal.beginRun(run)
    const failedOn = (site: string): RunFact => ({ kind: 'failed', atMs: 1, site, reason: 'it ended' })
    const said = (word: 'pause' | 'resume'): RunFact => ({ kind: 'word', atMs: 2, word, who: 'ana' })
    for (const fact of [failedOn('a'), said('resume'), failedOn('b'), said('pause'), said('resume')])
      journal.addFact(id, fact)
    const of = { id, version: run.version }
    expect(journal.judgedRuns('prod', 'shop')).to.deep.equal([{ of, facts: [] }])
    for (const fact of [failedOn('c'), said('pause')]) journal.addFact(id, fact)
    expect(journal.judgedRuns('prod', 'shop')).to.deep.equal([{ of, facts: [failedOn('c'), said('pause')] }])
  })

  it('A33 A65 a failure says which version failed if it is one on the way', () => {
    const journal = memoryJournal()
    const { id } = journal.beginRun(run)
    const failed: RunFact = { kind: 'failed', atMs: 1, site: 'a', reason: 'exited with code 1', step: '1.9' }
    journal.addFact(id, failed)
    expect(journal.facts(id, 0).map(({ fact }) => fact)).to.deep.equal([failed])
  })
})

describe('the placements of deployments', () => {
  const deployment: Deployment = {
    name: 'shop-everywhere',
    application: 'shop',
    placement: { kind: 'all-sites' },
    healthyMs: 0,
    revision: 'r1',
  }
  const placed = { deployment, sites: ['a', 'b'], canaries: ['b'] }

  it('A25 are remembered with what the deployment said, until they are evaluated anew', () => {
    const journal = memoryJournal()
    expect([...journal.placements('prod')]).to.deep.equal([])
    journal.setPlacement('prod', placed)
    journal.setPlacement('devel', placed)
    expect([...journal.placements('prod')]).to.deep.equal([['shop-everywhere', placed]])
    journal.setPlacement('prod', { ...placed, sites: ['c'] })
    expect(journal.placements('prod').get('shop-everywhere')?.sites).to.deep.equal(['c'])
    expect(journal.forgetPlacement('prod', 'shop-everywhere')).to.equal(true)
    expect(journal.forgetPlacement('prod', 'shop-everywhere')).to.equal(false)
    expect(journal.placements('devel').size).to.equal(1)
  })
})
