import { expect } from 'chai'
import type { ToldService } from '../../../../lib/swarm/api/service.ts'
import { keepMarks } from '../../../../lib/swarm/observe/kept-marks.ts'
import { serviceMarkOf } from '../../../../lib/swarm/observe/mark.ts'

const key = Buffer.alloc(32, 1)
const prod = { environment: 'prod', source: 'a', address: 'a', directory: 'environments/prod' }
const test = { ...prod, environment: 'test' }
const web: ToldService = {
  ID: 'web',
  Version: { Index: 7 },
  UpdatedAt: '2026-01-01T00:00:00Z',
  Spec: {
    Name: 'prod_web',
    Labels: {},
    TaskTemplate: { ContainerSpec: { Image: 'web@sha256:1' } },
    Mode: { Replicated: { Replicas: 2 } },
  },
}
const scaled: ToldService = { ...web, Spec: { ...web.Spec, Mode: { Replicated: { Replicas: 5 } } } }

describe('the marks of the services of a Swarm', () => {
  it('D2 are those of what the manager tells', () => {
    const marks = keepMarks()(prod, [web], key)
    expect([...marks]).to.deep.equal([['web', serviceMarkOf(web.Spec, key)]])
  })

  it('are computed once for each version, in each environment', () => {
    const marksOf = keepMarks()
    const first = marksOf(prod, [web], key).get('web')
    marksOf(test, [], key)
    expect(marksOf(prod, [web], key).get('web')).to.equal(first)
  })

  for (const [what, now] of [
    ['a service was changed', { ...scaled, Version: { Index: 8 } }],
    ['a backup tells a number again', { ...scaled, UpdatedAt: '2026-01-02T00:00:00Z' }],
  ] as const)
    it(`D2 are computed anew where ${what}`, () => {
      const marksOf = keepMarks()
      marksOf(prod, [web], key)
      expect(marksOf(prod, [now], key).get('web')).to.deep.equal(serviceMarkOf(scaled.Spec, key))
    })

  it('are forgotten with the service', () => {
    const marksOf = keepMarks()
    const first = marksOf(prod, [web], key).get('web')
    expect([...marksOf(prod, [], key)]).to.deep.equal([])
    expect(marksOf(prod, [web], key).get('web')).not.to.equal(first)
  })
})
