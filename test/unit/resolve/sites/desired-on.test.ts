import { expect } from 'chai'
import { desiredOn, type SiteCut } from '../../../../lib/resolve/sites/desired-on.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import { claimOf, type Route } from '../../../../lib/state/application/ingress/route.ts'
import { routesOf, routingOf } from '../../../../lib/state/application/ingress/traffic.ts'
import { desired } from '../../../support/builders/builders.ts'
import { reached, route, settings } from '../../ingress/parts.ts'

/** `shop` has another path than before, and `blog` is new. */
const wanted: DesiredState = {
  ...desired(reached('shop', { path: '/new' }), reached('blog', { host: 'blog.example.com' })),
  ingress: settings(),
}
const loaded = [route({ path: '/old', service: 'shop' })]

/** What the ingress of a site has to load. */
async function routesOn(
  cut: Partial<SiteCut>,
  before: readonly Route[] = loaded,
  whole = wanted,
): Promise<readonly string[]> {
  const none = { refused: [], elsewhere: new Set<string>(), later: new Set<string>() }
  const { applications } = await desiredOn(whole, () => before, { ...none, ...cut })
  const ingress = applications.find(({ name }) => name === 'tallyman-ingress')
  return (ingress?.services ?? []).flatMap(service => routingOf(service)?.routes ?? []).map(claimOf)
}

describe('the routes of one site', () => {
  it('A32 those of an application whose turn has not come stay as the ingress there has loaded them', async () => {
    expect(await routesOn({ later: new Set(['shop']) })).to.deep.equal([
      'blog.example.com/',
      'shop.example.com/old',
    ])
    expect(await routesOn({ later: new Set(['shop']) }, [])).to.deep.equal(['blog.example.com/'])
  })

  it('A20 those of an application that is placed elsewhere are not loaded, and no longer if they were', async () => {
    expect(await routesOn({ elsewhere: new Set(['shop']) })).to.deep.equal(['blog.example.com/'])
    expect(await routesOn({ elsewhere: new Set(['shop', 'blog']) })).to.deep.equal([])
  })

  it('A26 P33 the Caddy of the operator has to forget the last of them, and is not asked for where it never had one', async () => {
    const none = { refused: [], elsewhere: new Set(['shop', 'blog']), later: new Set<string>() }
    const whole: DesiredState = { ...wanted, ingress: settings({ isExternal: true }) }
    const namesAfter = async (before: readonly Route[]) =>
      (await desiredOn(whole, () => before, none)).applications.map(({ name }) => name)
    expect(await namesAfter(loaded)).to.deep.equal(['tallyman-ingress'])
    expect(await namesAfter([])).to.deep.equal([])
  })

  it('D15 those of an application whose deployment is refused stay as they are loaded', async () => {
    const problem = { code: 'deployment-refused', message: 'it is wrong' } as const
    const refused = [{ application: 'shop', problems: [problem] as const }]
    expect(await routesOn({ refused })).to.deep.equal(['blog.example.com/', 'shop.example.com/old'])
  })

  it('D15 A32 stay so while something else has the name of the ingress, and is refused for that', async () => {
    const problem = { code: 'deployment-invalid', message: 'there is no such application' } as const
    const whole: DesiredState = {
      ...wanted,
      applications: [...wanted.applications, reached('tallyman-ingress')],
      blocked: [{ application: 'tallyman-ingress', problems: [problem] }],
    }
    expect(await routesOn({ later: new Set(['shop']) }, loaded, whole)).to.deep.equal([
      'blog.example.com/',
      'shop.example.com/old',
    ])
  })

  it('D15 are left as they are loaded while the ingress itself cannot be made', async () => {
    const problem = { code: 'digest-unknown', message: 'the registry is silent' } as const
    const whole = { ...wanted, blocked: [{ application: 'tallyman-ingress', problems: [problem] as const }] }
    expect(await routesOn({ later: new Set(['shop']) }, loaded, whole)).to.deep.equal([])
  })

  it('A32 an application whose turn has not come keeps its new routes to itself, but is still wanted', async () => {
    const cut = { refused: [], elsewhere: new Set<string>(), later: new Set(['shop']) }
    const { applications } = await desiredOn(wanted, () => loaded, cut)
    const shop = applications.find(({ name }) => name === 'shop')
    expect((shop?.services ?? []).flatMap(routesOf).map(claimOf)).to.deep.equal(['shop.example.com/new'])
  })
})
