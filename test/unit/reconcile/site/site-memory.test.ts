import { expect } from 'chai'
import { createMemory } from '../../../../lib/reconcile/memory.ts'
import { createSiteMemory } from '../../../../lib/reconcile/site/site-memory.ts'

describe('what one pass over a site leaves for the next', () => {
  it('G2 is the plan that was applied, until another one is planned or somebody lets it be tried again', () => {
    const { convergence } = createSiteMemory()
    convergence.setApplied('plan-1')
    convergence.planned('plan-1')
    expect(convergence.applied()).to.deep.equal({ planId: 'plan-1' })
    convergence.planned('plan-2')
    expect(convergence.applied()).to.equal(undefined)
    convergence.setApplied('plan-1')
    convergence.forget()
    expect(convergence.applied()).to.equal(undefined)
  })

  it('A6 is which version of each application is on record', () => {
    const { versions } = createSiteMemory()
    const isNews = [
      versions.isNews('web', 'web:1'),
      versions.isNews('api', 'web:1'),
      versions.isNews('web', 'web:1'),
      versions.isNews('web', 'web:2'),
    ]
    expect(isNews).to.deep.equal([true, true, false, true])
  })

  it('G12 is when an attempt began, as long as it is the same one', () => {
    const { attempts } = createSiteMemory()
    const one = { release: 'release-1', begunAtMs: 5 }
    const since = (attempt: typeof one, nowMs: number) =>
      attempts.sinceMs('local/web/web', attempt, () => nowMs)
    expect([since(one, 100), since(one, 200)]).to.deep.equal([100, 100])
    expect(since({ ...one, begunAtMs: 6 }, 300), 'another beginning').to.equal(300)
    expect(since({ release: 'release-2', begunAtMs: 6 }, 400), 'another release').to.equal(400)
  })

  it('G17 is of that site alone, and stays for it', () => {
    const { sites } = createMemory()
    sites.of('a').surroundings.setKnown(true)
    expect([sites.of('a'), sites.of('b')].map(({ surroundings }) => surroundings.areKnown())).to.deep.equal([
      true,
      false,
    ])
    expect(sites.count()).to.equal(2)
  })

  it('D17 is which engine a site is, and which other site is the same one', () => {
    const { sites } = createMemory()
    expect([
      sites.recognize('a', 'ABC'),
      sites.recognize('b', 'DEF'),
      sites.recognize('c', 'ABC'),
    ]).to.deep.equal(['a', 'b', 'a'])
    expect([sites.engineOf('c'), sites.engineOf('d')]).to.deep.equal(['ABC', undefined])
  })
})
