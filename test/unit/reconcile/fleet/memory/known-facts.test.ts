import { expect } from 'chai'
import type { Runs } from '../../../../../lib/journal/fleet/runs.ts'
import { createCountedFacts } from '../../../../../lib/reconcile/fleet/memory/known-facts.ts'
import type { RecordedFact } from '../../../../../lib/state/fleet/run.ts'
import { waitingFor } from './waiting-turn.ts'

describe('what is known of runs', () => {
  it('G24 A32 a run in which a site stops and comes back again and again is no longer than one in which it did so once', () => {
    const known = createCountedFacts()
    const { run } = waitingFor({ for: 'unready', sites: ['b'] })
    const told = Array.from({ length: 50 }, (_, at): readonly RecordedFact[] => [
      { kind: 'stopped', atMs: at, site: 'a' },
      { kind: 'reached', atMs: at, site: 'a' },
    ]).flat()
    const factsAt = (at: number, read: Runs['facts']) =>
      known.of(run.of, { journal: { facts: read }, nowMs: () => at, steadyMs: () => at })
    for (const [at, fact] of told.entries())
      factsAt(at, (_, after) => (after <= at ? [{ entry: at + 1, fact }] : []))
    expect(factsAt(told.length, () => [])).to.deep.equal([{ kind: 'reached', atMs: 49, site: 'a' }])
  })
})
