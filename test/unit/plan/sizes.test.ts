import { expect } from 'chai'
import { changeLines } from '../../../lib/plan/change-text.ts'
import { needsFirst } from '../../../lib/plan/needs-first.ts'
import { application, desired, instance, live, service } from '../../support/builders.ts'
import { planOf, rules } from '../../support/planning.ts'

const many = Array.from({ length: 10_000 }, (_, index) => `a${index}`)

/** Each of 10,000 applications requires the next one. */
const chain = desired(
  ...many.map((name, index) =>
    application(name, [service({ name })], { requires: many.slice(index + 1, index + 2) }),
  ),
)

describe('G24 plans of large repositories', () => {
  it('reads what an instance is made of a few times, however many steps make one like it', () => {
    let reads = 0
    const { containers, ...rest } = instance()
    const [container] = containers
    const counting = {
      ...container,
      get labels() {
        reads += 1
        return { a: 'b' }
      },
    }
    const one = { ...rest, containers: [counting] as const }
    const replicas = { ...service(), instances: Array.from({ length: 1_000 }, () => one) }
    const { changes } = planOf({ desired: desired(application('web', [replicas])), live: live() })
    expect(changes[0]?.stages[0]).to.have.length(1_000)
    const [change] = changes
    if (change !== undefined) for (const isVerbose of [true, false]) changeLines(change, isVerbose)
    expect(reads).to.be.below(20)
  })

  it('puts what is required first, however long the chain of requirements is', () => {
    const { changes } = planOf({ desired: chain, live: live() })
    expect(changes.map(({ application }) => application)).to.deep.equal(many.toReversed())
    expect(changes.filter(({ applicationRelease }) => applicationRelease === undefined)).to.deep.equal([])
  })

  it('holds what requires what is held, however long the chain of requirements is', () => {
    const suspended = new Map([['a9999', { reason: 'freeze', sinceMs: 0 }]])
    const { changes } = planOf({ desired: chain, live: live(), rules: { ...rules, suspended } })
    expect(changes.filter(({ held }) => held === undefined)).to.deep.equal([])
    expect(changes.find(({ application }) => application === 'a0')?.held?.reason).to.equal(
      'requires a1, which cannot be changed now',
    )
  })

  it('says once what all services of an application come after', () => {
    const services = (name: string) =>
      Array.from({ length: 100 }, (_, index) => service({ name: `${name}${index}` }))
    const { changes } = planOf({
      desired: desired(
        application('shop', services('web'), { requires: ['data'] }),
        application('data', services('db')),
      ),
      live: live(),
    })
    const [first, ...others] = changes.filter(({ application }) => application === 'shop')
    expect(first?.after).to.have.length(100)
    expect(others.filter(({ after }) => after !== first?.after)).to.deep.equal([])
  })
})

describe('the walk that puts first what others need', () => {
  const needs: Readonly<Record<string, readonly string[]>> = { a: ['c'], b: [], c: ['d', 'b'], d: ['c'] }

  it('G11 keeps the order given where nothing else is needed, and cuts a circle where it closes', () => {
    expect(needsFirst(['b', 'a', 'c', 'd'], one => needs[one] ?? [])).to.deep.equal(['b', 'd', 'c', 'a'])
  })
})
