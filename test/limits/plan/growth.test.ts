import { expect } from 'chai'
import { ingressApplication } from '../../../lib/ingress/application.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { application, container, desired, live, service } from '../../support/builders/builders.ts'
import { madeFrom, planOf, type Situation } from '../../support/builders/planning.ts'
import { growth } from '../../support/measure/growth.ts'
import { reached, settings } from '../../unit/ingress/parts.ts'

const ingress = settings({ image: { reference: 'example.com/caddy:2', pin: container().image.pin } })

/**
 * Ten times as many services take about ten times as long, and a hundred times if each of them looks at all others. What is
 * looked at so is little beside the rest here, so less than halfway between is too much.
 */
const most = 18

/** What one site gets of so many services, and what runs there before. */
type Case = (names: readonly string[]) => Situation

const one = (name: string, tag = '1') => application(name, [service({ name, tag })])

/** Applications with an ingress that sends requests to each of them. */
function served(names: readonly string[]): DesiredState {
  const all = names.map(name => reached(name, { host: `${name}.example.com` }))
  const own = ingressApplication('prod', all, ingress)
  return { ...desired(...(own === undefined ? all : [...all, own])), ingress }
}

function from(before: DesiredState, after: DesiredState, more: Partial<Situation> = {}): Situation {
  return {
    ...{ desired: after, live: live(before), applied: before, specificationOf: madeFrom(before) },
    ...more,
  }
}

const cases: Readonly<Record<string, Case>> = {
  'get another image': names =>
    from(desired(...names.map(name => one(name))), desired(...names.map(name => one(name, '2')))),
  'get another image, and each requires the one before': names => {
    const chain = (tag: string) =>
      desired(
        ...names.map((name, at) =>
          application(name, [service({ name, tag })], { requires: names.slice(Math.max(0, at - 1), at) }),
        ),
      )
    return from(chain('1'), chain('2'))
  },
  'are gone, each with a network of its own': names =>
    from(desired(...names.map(name => one(name))), desired(one('other')), {
      networks: names.map(name => `prod_${name}`),
    }),
  'have other names, and the host ports of those before': names => {
    const all = (prefix: string) =>
      desired(...names.map((name, at) => ({ name: `${prefix}${name}`, hostPort: 1_000 + at })))
    return from(all('old-'), all('new-'))
  },
  'of one application exchange their host ports in turn': names => {
    const shifted = (by: number) =>
      desired(
        application(
          'all',
          names.map((name, at) => service({ name, hostPort: 1_000 + at + by })),
        ),
      )
    return from(shifted(0), shifted(1))
  },
  'are to be reached, as soon as there is an ingress': names => {
    const after = served(names)
    const before = desired(...after.applications.filter(({ name }) => names.includes(name)))
    return from(before, after)
  },
}

describe('the plan of a site', () => {
  for (const [what, situation] of Object.entries(cases))
    it(`G24 takes as long for each of its services, however many ${what}`, async () => {
      const plan = (count: number) =>
        planOf(situation(Array.from({ length: count }, (_, at) => `s${at}`))).changes.length
      expect(plan(20)).to.be.at.least(20)
      expect(await growth(plan, 400, most)).to.be.below(most)
    })
})
