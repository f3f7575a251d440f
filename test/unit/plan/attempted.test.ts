import { expect } from 'chai'
import { diff } from '../../../lib/plan/compare/diff.ts'
import type { Applied } from '../../../lib/plan/compare/past.ts'
import { attempted } from '../../../lib/plan/rollout/attempt.ts'
import type { Service } from '../../../lib/state/application/application.ts'
import type { Routing } from '../../../lib/state/application/ingress/route.ts'
import { desired, live, type ServiceParts } from '../../support/builders/builders.ts'
import { appliedOf, attemptsOf } from '../../support/builders/planning.ts'

/** The instances, by name and tag, that undo removes; `ran`: what was applied before, if anybody knows. */
function undone(
  wanted: ServiceParts,
  there: readonly ServiceParts[],
  ran?: ServiceParts,
  more: Partial<Service> = {},
): readonly string[] {
  const state = desired(wanted)
  const applied: Applied = ran === undefined ? new Map() : appliedOf(desired(ran))
  const attempts = attemptsOf(state, 'open')
  const { differences } = diff(state, live(...there.map(parts => desired(parts))), { applied, attempts })
  return differences.flatMap(difference => {
    const { declared } = difference
    if (declared === undefined) throw new Error('it is declared')
    return attempted(difference, { ...declared.service, ...more }).map(
      ({ number, containers: [{ image }] }) => `web.${number}@${image.slice(-1)}`,
    )
  })
}

const ofOperator: Routing = {
  runBy: 'operator',
  routes: [],
  configuration: { newer: '', older: '' },
  mark: '',
  networks: [],
}

const [one, two] = [{ tag: '1' }, { tag: '2' }]

describe('what an interrupted attempt made', () => {
  it('G5 is what was not applied before, whatever the strategy', () => {
    for (const hostPort of [{}, { hostPort: 80 }])
      expect(
        undone(
          { ...two, ...hostPort },
          [
            { ...one, ...hostPort },
            { ...two, ...hostPort },
          ],
          one,
        ),
      ).to.deep.equal(['web.1@2'])
  })

  it("G10 is nothing where it is the operator's", () => {
    expect(undone(two, [one, two], one, { traffic: { role: 'proxy', routing: ofOperator } })).to.deep.equal(
      [],
    )
  })

  it('G5 is nothing of what was applied before', () => {
    const both = { tags: ['1', '2'] }
    expect(undone({ tags: ['2', '3'] }, [both], both)).to.deep.equal([])
  })

  it('G5 is nothing that may run beside the old ones, where nobody knows what was applied', () => {
    expect(undone(two, [one, two])).to.deep.equal([])
  })

  it('D7 G5 is what is in the way of the old ones, where nobody knows what was applied', () => {
    const strategy = { type: 'recreate' } as const
    expect(
      undone({ ...two, hostPort: 80 }, [
        { ...one, hostPort: 80 },
        { ...two, hostPort: 80 },
      ]),
    ).to.deep.equal(['web.1@2'])
    expect(
      undone({ ...two, strategy }, [
        { ...one, strategy },
        { ...two, strategy },
      ]),
    ).to.deep.equal(['web.1@2'])
  })

  it('G5 is nothing where there is no old one to come back, and nobody knows what was applied', () => {
    expect(undone({ ...two, hostPort: 80 }, [{ ...two, hostPort: 80 }])).to.deep.equal([])
  })
})
