import { expect } from 'chai'
import type { PlacedSites } from '../../../../lib/journal/fleet/placements.ts'
import { placedApart, placementsBefore, stillPlaced } from '../../../../lib/reconcile/fleet/still-placed.ts'
import type { Deployment } from '../../../../lib/state/fleet/deployment.ts'
import { labelsOf } from '../../../../lib/state/fleet/labels.ts'

/** A deployment on the sites with a label. */
function on(label: string, more: Partial<Deployment> = {}): Deployment {
  const expression = { kind: 'present', label } as const
  const placement = { kind: 'match-site-labels', expression, text: label } as const
  return { name: 'shop', application: 'shop', placement, healthyMs: 0, revision: label, ...more }
}

const endpoints = { north: 'unix:///north', south: 'unix:///south' }
const evaluated = (deployment: Deployment): PlacedSites => ({
  deployment,
  sites: ['north', 'south'],
  canaries: [],
  known: endpoints,
})

/** Sites of which only one has the label `store` by now. */
const sites = Object.entries(endpoints).map(([name, endpoint]) => ({
  name,
  endpoint,
  labels: labelsOf(name === 'north' ? [['store', 'yes']] : [['office', 'yes']]),
}))

describe('how a deployment was evaluated before', () => {
  it('A25 is on record under its name, or under one that is not written any more, and never under one that is', () => {
    const recorded = (name: string, application: string) =>
      [name, evaluated(on('store', { name, application }))] as const
    const recordOf = (written: readonly string[], ...all: readonly (readonly [string, PlacedSites])[]) =>
      placementsBefore(
        new Map(all),
        written.map(name => ({ name })),
      )({ name: 'shops', application: 'shop' })?.deployment.name
    expect(recordOf(['shops'], recorded('shop', 'shop'), recorded('shops', 'shop'))).to.equal('shops')
    expect(recordOf(['shops'], recorded('shop', 'shop'))).to.equal('shop')
    expect(recordOf(['shops'], recorded('blog', 'blog'))).to.equal(undefined)
    expect(recordOf(['shop', 'shops'], recorded('shop', 'shop')), 'is of another application now').to.equal(
      undefined,
    )
    expect(recordOf(['shops'], recorded('a-shop', 'shop'), recorded('shop', 'shop'))).to.equal('a-shop')
    expect(recordOf(['a-shop', 'shops'], recorded('a-shop', 'shop'), recorded('shop', 'shop'))).to.equal(
      'shop',
    )
  })
})

describe('the sites that a deployment still means', () => {
  it('A25 are those of its evaluation until it is updated, names another version, or somebody asks for it', () => {
    const placed = evaluated(on('store'))
    expect(stillPlaced(on('store'), placed, sites)).to.deep.equal(['north', 'south'])
    expect(stillPlaced(on('office'), placed, sites)).to.deep.equal([])
    expect(stillPlaced(on('store', { version: '1.0' }), placed, sites)).to.deep.equal([])
    expect(stillPlaced(on('store'), evaluated(on('store', { revision: '' })), sites)).to.deep.equal([])
  })

  it('G4 A31 are also those that it would lose by an expression that nobody meets, or without a canary', () => {
    const placed = evaluated(on('store'))
    expect(stillPlaced(on('stroe'), placed, sites)).to.deep.equal(['north', 'south'])
    const canary = {
      expression: { kind: 'present', label: 'lab' },
      text: 'lab',
      next: { kind: 'word' },
    } as const
    expect(stillPlaced(on('office', { canary }), placed, sites)).to.deep.equal(['north', 'south'])
    expect(
      stillPlaced(on('office', { canary: { ...canary, ...on('office').placement } }), placed, sites),
    ).to.deep.equal([])
    const nowhere = { kind: 'not', of: { kind: 'present', label: 'system/name' } } as const
    const placement = { kind: 'match-site-labels', expression: nowhere, text: 'not system/name' } as const
    expect(stillPlaced(on('none', { placement }), placed, sites)).to.deep.equal([])
  })

  it('A25 have the names that they have now', () => {
    const renamed = sites.map(site => (site.name === 'south' ? { ...site, name: 'coast' } : site))
    expect(stillPlaced(on('store'), evaluated(on('store')), renamed)).to.deep.equal(['north', 'coast'])
  })

  it('A25 differ from those that meet its expression by now only where labels changed', () => {
    expect(placedApart(evaluated(on('store')))(sites)).to.deep.equal(['south'])
    expect(placedApart({ ...evaluated(on('store')), sites: ['north'] })(sites)).to.deep.equal([])
  })
})
