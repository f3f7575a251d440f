import { expect } from 'chai'
import { Failure } from '../../../../../lib/errors.ts'
import { round } from '../../../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../../../lib/reconcile/site/pass-request.ts'
import { sitesOf } from '../../../../../lib/reconcile/site/site.ts'
import { giveUp } from '../../../../../lib/reconcile/site/writer/become-writer.ts'
import { claimLabels, claimName, claimOn } from '../../../../../lib/writer/on-engine/claim.ts'
import { digest } from '../../../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const answer = { who: 'ann', via: 'flag' } as const
const apply: RoundRequest = {
  ...{ trigger: 'poll', until: 'apply', freshness: { maxAgeMs: 0, lastGood: false }, answer },
  isRepeated: true,
}
const pace = { lookMs: 1e9, waitMs: 1e9 }

/** Two machines, each with a Tallyman that runs `prod` on the one engine, and a clock that both go by. */
function twoMachines(during: () => void) {
  let [ms, told] = [1_000_000, false]
  const clock = { sinceBootMs: () => ms, random: () => 1, pace }
  const tell = () => {
    if (told) return
    told = true
    during()
  }
  const engine = memoryEngine({
    distribution: everyImage,
    during: { [`pull-image docker.io/library/web:1@${digest('a')}`]: tell },
  })
  const pass = (byMs: number) => {
    ms += byMs
  }
  const files = manifestOf('prod', { web: '1', api: '1' })
  const machine = (name: string) => {
    const me = { id: name, machine: `machine of ${name}`, who: `pid 1 on ${name}` }
    const { worlds, journal } = memoryWorlds({ files, engine, claiming: { ...clock, me } })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    return { world, journal }
  }
  const [{ world: a }, { world: b, journal }] = [machine('a'), machine('b')]
  return { engine, pass, a, b, journal }
}

describe('an environment that runs on two machines', () => {
  it('D17 is written by the first one, and the second one says who that is and writes nothing', async () => {
    const { a, b, engine, journal } = twoMachines(() => undefined)
    expect((await round(a, apply, signal)).outcome).to.equal('applied')
    engine.lose()
    const before = engine.done.length
    const { outcome, errors, plan } = await round(b, apply, signal)
    expect([outcome, errors.map(({ code }) => code), plan?.changes.length]).to.deep.equal([
      'planned',
      ['another-writer'],
      2,
    ])
    expect(errors[0]?.message).to.include(
      ', pid 1 on a since 2026-03-01T11:00:00.000Z; this one only observes',
    )
    expect([engine.done.length, journal.log({ limit: 10 })]).to.deep.equal([before, []])
  })

  it('D17 is left in the middle of a pass by a machine that slept, once another one has taken it over', async () => {
    const { a, engine, pass } = twoMachines(() => {
      pass(60_001)
      const other = { id: 'c', machine: 'machine of c', who: 'pid 1 on c' }
      const claim = claimOn({ source: 'ops/manifests', environment: 'prod' })
      void engine.claims.create(claimName(claim, 2), claimLabels(claim, 'prod', other, 'k1', 'a'), signal)
    })
    const { outcome, errors, results } = await round(a, apply, signal)
    expect([outcome, errors.map(({ code }) => code)]).to.deep.equal(['interrupted', ['another-writer']])
    expect(errors[0]?.message).to.include(', pid 1 on c since ')
    expect(sitesOf(a).map(({ memory }) => memory.writership.rival()?.message)).to.deep.equal([
      errors[0]?.message,
    ])
    expect(results.map(({ result }) => result)).to.deep.equal(['interrupted', 'interrupted'])
    expect(engine.done.filter(step => !step.startsWith('pull-image'))).to.deep.equal([])
  })

  it('G2 asks nothing of the claim in a pass without changes', async () => {
    const { a, engine, pass } = twoMachines(() => undefined)
    await round(a, apply, signal)
    const calls: string[] = []
    const { claims } = engine
    const list = claims.list
    Object.assign(claims, {
      list: (...given: Parameters<typeof list>) => {
        calls.push('list')
        return list(...given)
      },
    })
    pass(600_000)
    expect((await round(a, apply, signal)).outcome).to.equal('in-sync')
    expect(calls).to.deep.equal([])
    Object.assign(claims, { list })
  })

  it('D17 is not claimed by who only plans', async () => {
    const { a, b } = twoMachines(() => undefined)
    await round(b, { ...apply, until: 'plan' }, signal)
    expect((await round(a, apply, signal)).outcome).to.equal('applied')
  })

  it('D17 is taken over at once when the environment left the site on the other machine', async () => {
    const { a, b } = twoMachines(() => undefined)
    await round(a, apply, signal)
    for (const site of sitesOf(a)) await giveUp(site)
    expect((await round(b, apply, signal)).outcome).to.equal('in-sync')
  })

  for (const [code, words] of [
    ['claim-refused', 'its proxy refuses volumes'],
    ['disk-full', 'its disk is full'],
  ] as const)
    it(`D17 is only observed if nobody can tell who writes, because ${words}`, async () => {
      const { a, engine } = twoMachines(() => undefined)
      const create = async () => {
        throw new Failure(code, words)
      }
      Object.assign(engine.claims, { create })
      const { outcome, errors, plan } = await round(a, apply, signal)
      expect([outcome, errors.map(one => one.code), plan?.changes.length]).to.deep.equal([
        'planned',
        [code],
        2,
      ])
      expect(engine.done).to.deep.equal([])
    })

  it('G17 is as silent as its engine if that does not say who writes', async () => {
    const { a, engine } = twoMachines(() => undefined)
    const list = async () => {
      throw new Failure('engine-unreachable', 'local: no answer')
    }
    Object.assign(engine.claims, { list })
    const { outcome, errors } = await round(a, apply, signal)
    expect([outcome, errors.map(({ code }) => code)]).to.deep.equal(['failed', ['engine-unreachable']])
    expect(engine.done).to.deep.equal([])
  })
})
