import { expect } from 'chai'
import { wantedHere } from '../../../../../lib/reconcile/site/decision/wanted-here.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { claimOf } from '../../../../../lib/state/application/ingress/route.ts'
import { routingOf } from '../../../../../lib/state/application/ingress/traffic.ts'
import { container, desired, service } from '../../../../support/builders/builders.ts'
import { reached, route, settings } from '../../../ingress/parts.ts'

const image = { reference: 'example.com/caddy:2', pin: container().image.pin }
const swarm = { endpoint: 'dnsrr', publish: 'host' } as const
const whole = { refused: [], elsewhere: new Set<string>(), later: new Set<string>() }

/** `shop` has another route than before, for which a Swarm could not keep the certificate. */
const wanted: DesiredState = {
  ...desired(
    reached('shop', { path: '/new', tls: 'internal' }),
    reached('blog', { host: 'blog.example.com' }),
  ),
  ingress: settings({ image }),
}
const loaded = () => [route({ path: '/old', service: 'shop' })]

function routesIn({ applications }: DesiredState): readonly string[] {
  const services = applications.flatMap(({ services }) => services)
  return services.flatMap(service => routingOf(service)?.routes ?? []).map(claimOf)
}

describe('what is wanted of the engine of a site', () => {
  it('D15 leaves the routes of an application as they are loaded that the engine cannot have', async () => {
    const here = await wantedHere({ swarm }, wanted, loaded, whole)
    expect(here.blocked.map(({ application }) => application)).to.deep.equal(['shop'])
    expect(routesIn(here)).to.deep.equal(['blog.example.com/', 'shop.example.com/old'])
    const onHost = await wantedHere({}, wanted, loaded, { ...whole, later: new Set(['none']) })
    expect(routesIn(onHost)).to.deep.equal(['blog.example.com/', 'shop.example.com/new'])
  })

  it('D15 does so on a host for what only a Swarm can have', async () => {
    const shop = reached('shop', { path: '/new' })
    const services = shop.services.map(one => ({
      ...one,
      instances: service({ name: 'shop', hostPort: 8080, replicas: 2 }).instances,
    }))
    const state = { ...desired({ ...shop, services }), ingress: settings({ image }) }
    const here = await wantedHere({}, state, loaded, whole)
    expect(here.blocked.map(({ application }) => application)).to.deep.equal(['shop'])
    expect(routesIn(here)).to.deep.equal(['shop.example.com/old'])
  })

  it('A20 says nothing of an application that belongs elsewhere', async () => {
    const cut = { ...whole, elsewhere: new Set(['shop']) }
    const here = await wantedHere({ swarm }, wanted, loaded, cut)
    expect(here.blocked).to.deep.equal([])
    expect(routesIn(here)).to.deep.equal(['blog.example.com/'])
  })
})
