import { expect } from 'chai'
import type { Stand } from '../../../../lib/fleet/strategy/stand.ts'
import type { Runs } from '../../../../lib/journal/fleet/runs.ts'
import { createFleetMemory } from '../../../../lib/reconcile/fleet/fleet-memory.ts'
import type { DeploymentTurn } from '../../../../lib/reconcile/fleet/turns.ts'
import type { RecordedFact } from '../../../../lib/state/fleet/run.ts'

/** A deployment of version 2 of `shop` to `a` and `b`, which waits for them in this way. */
function waitingFor(wait: Stand['wait']): DeploymentTurn {
  const deployment = {
    ...{ name: 'everywhere', application: 'shop', placement: { kind: 'all-sites' } as const },
    ...{ healthyMs: 0, revision: 'r1' },
  }
  const of = {
    ...{ id: 1, environment: 'prod', deployment: 'everywhere', application: 'shop' },
    ...{ version: '2', content: 'c2', seed: 7, atMs: 0 },
  }
  const stand = {
    ...{
      open: new Set(['a', 'b']),
      reached: new Set<string>(),
      recheck: new Map(),
      brokenMs: new Map(),
      proving: new Map(),
    },
    ...{
      had: new Set<string>(),
      lost: new Set<string>(),
      begun: new Set<string>(),
      own: new Set<string>(),
      ended: new Map(),
      hindered: new Map(),
      batches: [],
      wait,
    },
  }
  return { deployment, sites: new Set(['a', 'b']), run: { of, stand } }
}

describe('what is remembered of deployments', () => {
  const waits = [
    { for: 'sites', note: 'noteReached', what: 'has reached the version' },
    { for: 'look', note: 'noteLooked', what: 'was looked at once more' },
    { for: 'changing', note: 'noteLooked', what: 'was looked at after what was begun there before' },
  ] as const

  it('G24 A32 a run in which a site stops and comes back again and again is no longer than one in which it did so once', () => {
    const memory = createFleetMemory()
    const { run } = waitingFor({ for: 'unready', sites: ['b'] })
    if (run === undefined) throw new Error('there is one')
    const told = Array.from({ length: 50 }, (_, at): readonly RecordedFact[] => [
      { kind: 'stopped', atMs: at, site: 'a' },
      { kind: 'reached', atMs: at, site: 'a' },
    ]).flat()
    const factsAt = (at: number, read: Runs['facts']) =>
      memory.facts(run.of, { journal: { facts: read }, nowMs: () => at, steadyMs: () => at })
    for (const [at, fact] of told.entries())
      factsAt(at, (_, after) => (after <= at ? [{ entry: at + 1, fact }] : []))
    expect(factsAt(told.length, () => [])).to.deep.equal([{ kind: 'reached', atMs: 49, site: 'a' }])
  })

  for (const { for: kind, note, what } of waits)
    it(`G24 a batch is looked at again when the last of its sites ${what}, and not for each of them`, () => {
      const memory = createFleetMemory()
      memory.setTurns([waitingFor({ for: kind, sites: ['a', 'b'], sinceMs: 0 })])
      const isNews = (site: string) => {
        memory[note]('shop', site)
        return memory.takeNews()
      }
      expect([isNews('a'), isNews('a'), isNews('b')]).to.deep.equal([undefined, undefined, 'due'])
    })

  it('A31 what is being changed says nothing until it was seen again, also on a site that was not seen yet', () => {
    const memory = createFleetMemory()
    memory.setChanging('a', ['shop'])
    memory.setChanging('a', ['blog'])
    expect(['shop', 'blog', 'api'].map(name => memory.isChanged('a', name))).to.deep.equal([
      true,
      true,
      false,
    ])
    memory.setSeen('a', { applications: [], changed: ['blog'] }, 1)
    expect(['shop', 'blog'].map(name => memory.isChanged('a', name))).to.deep.equal([false, true])
    memory.setSeen('a', { applications: [] }, 2)
    expect(memory.isChanged('a', 'blog')).to.equal(false)
  })

  it('A31 what is repaired beside a pass says nothing after its end, which saw it before', () => {
    const memory = createFleetMemory()
    memory.setChanging('a', ['shop'], 20)
    memory.setSeen('a', { applications: [] }, 19)
    expect(memory.isChanged('a', 'shop')).to.equal(true)
    memory.setSeen('a', { applications: [] }, 20)
    expect(memory.isChanged('a', 'shop')).to.equal(false)
  })

  it('G24 a look at a site that no deployment waits for is no news', () => {
    const memory = createFleetMemory()
    memory.setTurns([waitingFor({ for: 'look', sites: ['a'], sinceMs: 0 })])
    memory.noteLooked('shop', 'c')
    memory.noteLooked('blog', 'a')
    expect(memory.takeNews()).to.equal(undefined)
  })

  it('G24 A33 a site that reaches the version of a run that has ended is news for later, unless there are others', () => {
    const memory = createFleetMemory()
    const failed = { kind: 'failed', atMs: 0, site: 'b', reason: 'it ended' } as const
    memory.setTurns([waitingFor({ for: 'correction', failed })])
    memory.noteReached('shop', 'a')
    expect([memory.takeNews(), memory.takeNews()]).to.deep.equal(['later', undefined])
    memory.noteNews('due')
    memory.noteReached('shop', 'a')
    expect(memory.takeNews()).to.equal('due')
  })
})
