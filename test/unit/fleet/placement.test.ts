import { expect } from 'chai'
import { parseLabelExpression } from '../../../lib/fleet/labels/parse.ts'
import { type LabelledSite, placementOf } from '../../../lib/fleet/placement.ts'
import type { Canary, Matching, SitePlacement } from '../../../lib/state/fleet/deployment.ts'

describe('placement', () => {
  const everywhere: SitePlacement = { kind: 'all-sites' }

  it('A20 all-sites means every site', () => {
    expect(placementOf({ placement: everywhere }, sites)).to.deep.equal(
      placed(['berlin', 'stockholm', 'austin', 'tower'], []),
    )
  })

  it('A20 match-site-labels means the sites whose labels match', () => {
    expect(placementOf({ placement: where('system/type = edge') }, sites)).to.deep.equal(
      placed(['berlin', 'stockholm', 'austin'], []),
    )
  })

  it('A20 a condition that no site meets means no site, and refuses nothing', () => {
    expect(placementOf({ placement: where('no-such'), canary: canary('lab') }, sites)).to.deep.equal(
      placed([], []),
    )
  })

  it('A31 canaries are those sites of the placement whose labels match the condition of canary-sites', () => {
    expect(
      placementOf({ placement: where('region = europe'), canary: canary('lab or region = america') }, sites),
    ).to.deep.equal(placed(['berlin', 'stockholm'], ['stockholm']))
  })

  it('A31 refuses a deployment when no site of its placement is a canary', () => {
    expect(
      placementOf({ placement: where('region = europe'), canary: canary('region = america\n') }, sites),
    ).to.deep.equal({
      kind: 'refused',
      reason: 'has no canary: none of its 2 sites matches "region = america"',
    })
  })
})

const sites: readonly LabelledSite[] = [
  { name: 'berlin', labels: { 'system/type': 'edge', region: 'europe' } },
  { name: 'stockholm', labels: { 'system/type': 'edge', region: 'europe', lab: '' } },
  { name: 'austin', labels: { 'system/type': 'edge', region: 'america' } },
  { name: 'tower', labels: { 'system/type': 'control-tower' } },
]

function placed(names: readonly string[], canaries: readonly string[]) {
  return { kind: 'placed', sites: names, canaries }
}

function matching(text: string): Matching {
  const read = parseLabelExpression(text)
  if (!read.ok) throw new Error(read.reason)
  return { expression: read.expression, text }
}

function where(text: string): SitePlacement {
  return { kind: 'match-site-labels', ...matching(text) }
}

function canary(text: string): Canary {
  return { ...matching(text), next: { kind: 'word' } }
}
