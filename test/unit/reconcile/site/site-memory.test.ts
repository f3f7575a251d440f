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
    expect(convergence.timesLet()).to.equal(0)
    convergence.forget()
    expect(convergence.applied()).to.equal(undefined)
    expect(convergence.timesLet()).to.equal(1)
  })

  it('A6 is which version of each application is on record', () => {
    const { versions } = createSiteMemory()
    versions.setKnown('web', 'web:1')
    versions.setKnown('api', 'api:1')
    versions.setKnown('web', 'web:2')
    const known = [
      versions.isKnown('web', 'web:1'),
      versions.isKnown('web', 'web:2'),
      versions.isKnown('api', 'api:1'),
      versions.isKnown('other', 'api:1'),
    ]
    expect(known).to.deep.equal([false, true, true, false])
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
    const there = { networks: ['prod.web'], volumes: [] }
    sites.of('a').surroundings.setKnown(there)
    expect([sites.of('a'), sites.of('b')].map(({ surroundings }) => surroundings.known())).to.deep.equal([
      there,
      undefined,
    ])
    expect(sites.count()).to.equal(2)
  })

  it('D17 is which sites are one engine, and over which of them a pass runs that writes', () => {
    const { engines } = createMemory()
    expect([engines.areNew(['a']), engines.areNew(['a']), engines.areNew(['a', 'b'])]).to.deep.equal([
      true,
      false,
      true,
    ])
    engines.meet('a', 'ABC')
    engines.meet('b', 'DEF')
    engines.meet('c', 'ABC')
    expect([engines.engineOf('c'), engines.engineOf('d')]).to.deep.equal(['ABC', undefined])
    expect([...engines.sitesOf('ABC')]).to.deep.equal(['a', 'c'])
    expect([engines.take('ABC', 'a'), engines.take('ABC', 'a'), engines.take('ABC', 'c')]).to.deep.equal([
      undefined,
      undefined,
      'a',
    ])
    engines.free('ABC')
    expect(engines.take('ABC', 'c')).to.equal(undefined)
  })
})

describe('the clock of attempts', () => {
  it('X12 P5 has an attempt begin later by the time for which it waited, and no other one', () => {
    const { attempts } = createSiteMemory()
    const begun = { release: 'r', begunAtMs: 5 }
    const sinceMs = (service: string, of = begun) => attempts.sinceMs(service, of, () => 100)
    expect([sinceMs('a/web'), sinceMs('b/web')]).to.deep.equal([100, 100])
    attempts.putOff('a/web', 30)
    attempts.putOff('c/web', 30)
    expect([sinceMs('a/web'), sinceMs('b/web'), sinceMs('c/web')]).to.deep.equal([130, 100, 100])
    expect(sinceMs('a/web', { ...begun, release: 's' })).to.equal(100)
  })
})
