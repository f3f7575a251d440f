import { expect } from 'chai'
import type { Problem } from '../../../lib/errors.ts'
import { needsFirst } from '../../../lib/plan/change-order/needs-first.ts'
import type { Rules } from '../../../lib/plan/hold/hold.ts'
import { changeLines } from '../../../lib/plan/text/change-text.ts'
import { application, desired, instance, live, service } from '../../support/builders/builders.ts'
import { planOf, rules } from '../../support/builders/planning.ts'

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
      get env() {
        reads += 1
        return { LEVEL: 'debug' }
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
    const reasonOf = (held: Partial<Rules>) => {
      const { changes } = planOf({ desired: chain, live: live(), rules: { ...rules, ...held } })
      expect(changes.filter(({ held }) => held === undefined)).to.deep.equal([])
      return changes.find(({ application }) => application === 'a0')?.held?.reason
    }
    const later = { code: 'not-converging', reason: 'failed before' } as const
    expect(reasonOf({ backingOff: new Map([['local/a9999', later]]) })).to.equal(
      'requires a1, which cannot be changed now',
    )
    const suspended = new Map([['a9999', { reason: 'freeze', sinceMs: 0 }]])
    expect(reasonOf({ suspended })).to.equal('requires a9999, which is suspended: freeze')
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

describe('G24 what is told of many blocked applications', () => {
  const blockedWith = (applications: number, problems: number) =>
    planOf({
      desired: {
        ...desired(),
        blocked: Array.from({ length: applications }, (_, application) => ({
          application: `a${application}`,
          problems: manyProblems(problems),
        })),
      },
      live: live(),
    }).blocked

  it('is everything, where that is not much', () => {
    expect(blockedWith(1, 1_000)[0]?.problems).to.have.length(1_000)
  })

  it('is the same share for each, and how many problems are not listed', () => {
    const told = blockedWith(100, 200)
    expect(told.map(({ problems }) => problems.length)).to.deep.equal(told.map(() => 10))
    expect(told[99]?.problems.at(-1)?.message).to.equal('and 191 more problems, which are not listed')
  })

  it('is the first problem of each and the number of the others, however many they are', () => {
    const told = blockedWith(5_000, 200)
    expect(told).to.have.length(5_000)
    expect(told[4_999]?.problems.map(({ message }) => message)).to.deep.equal([
      'problem 0',
      'and 199 more problems, which are not listed',
    ])
  })

  it('leaves out warnings after the first 1,000, and counts them', () => {
    const { warnings } = planOf({ desired: { ...desired(), warnings: manyProblems(20_000) }, live: live() })
    expect(warnings).to.have.length(1_000)
    expect(warnings.at(-1)?.message).to.equal('and 19001 more problems, which are not listed')
  })
})

function manyProblems(count: number): readonly [Problem, ...Problem[]] {
  const [first, ...others] = Array.from(
    { length: count },
    (_, index): Problem => ({ code: 'application-invalid', message: `problem ${index}` }),
  )
  if (first === undefined) throw new RangeError('no problem')
  return [first, ...others]
}

describe('the walk that puts first what others need', () => {
  const needs: Readonly<Record<string, readonly string[]>> = { a: ['c'], b: [], c: ['d', 'b'], d: ['c'] }

  it('G11 keeps the order given where nothing else is needed, and cuts a circle where it closes', () => {
    expect(needsFirst(['b', 'a', 'c', 'd'], one => needs[one] ?? [])).to.deep.equal(['b', 'd', 'c', 'a'])
  })
})
