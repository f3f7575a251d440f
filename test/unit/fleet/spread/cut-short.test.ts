import { expect } from 'chai'
import { cutShort } from '../../../../lib/fleet/spread/cut-short.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'

const matching = { expression: { kind: 'present', label: 'lab' }, text: 'lab' } as const
const deployment: Deployment = {
  name: 'shop',
  application: 'shop',
  placement: { kind: 'all-sites' },
  healthyMs: 900_000,
  canary: { ...matching, next: { kind: 'healthy', healthyMs: 2_000 } },
  revision: 'r1',
}

describe('the healthy times of a test environment', () => {
  it('A32 are those of the deployment where they are short enough, or nothing is configured', () => {
    expect(cutShort(deployment, undefined)).to.equal(deployment)
    expect(cutShort(deployment, 5_000)).to.deep.equal({ ...deployment, healthyMs: 5_000 })
  })

  it('A31 are cut for canaries too, who still wait for a word that they ask for', () => {
    expect(cutShort(deployment, 500)).to.deep.equal({
      ...deployment,
      healthyMs: 500,
      canary: { ...matching, next: { kind: 'healthy', healthyMs: 500 } },
    })
    const byWord = { ...deployment, canary: { ...matching, next: { kind: 'word' } } } as const
    expect(cutShort(byWord, 500)).to.deep.equal({ ...byWord, healthyMs: 500 })
  })
})
