import { expect } from 'chai'
import { ingressApplication } from '../../../../lib/ingress/application.ts'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { Application } from '../../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { application, container, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'
import { reached, settings } from '../../ingress/parts.ts'

const ingress = settings({ image: { reference: 'example.com/caddy:2', pin: container().image.pin } })

/** What a Swarm can have of these applications and their ingress. */
function wanted(...applications: readonly Application[]): DesiredState {
  const own = ingressApplication('prod', applications, ingress)
  const all = own === undefined ? applications : [...applications, own]
  return forSwarm({ ...desired(...all), ingress }, { endpoint: 'dnsrr', publish: 'host' })
}

/** What a Swarm tells of that. */
function running(state: DesiredState): LiveState {
  const { site, containers } = live(state)
  const instances = new Map(
    state.applications.flatMap(({ services }) => services.map(({ name, instances }) => [name, instances[0]])),
  )
  return {
    site,
    containers: containers.map(one => {
      const { runs, attachments = [] } = instances.get(one.service) ?? {}
      const gates = [...attachments.map(({ name }) => name), ...(runs?.gate ? [runs.gate.network] : [])]
      const replicas = runs?.replicas ?? 1
      return {
        ...one,
        networks: [...one.networks, ...gates],
        runs: { mark: {}, replicas, wanted: 1, running: 1, nodes: [] },
      }
    }),
  }
}

const blog = reached('blog', { host: 'blog.example.com' })
describe('a change of routes on a Swarm', () => {
  const before = wanted(reached('shop', {}), blog)
  const after = wanted(application('shop', [service({ name: 'shop' })]), blog)
  const { changes } = planOf({
    desired: after,
    live: running(before),
    applied: before,
    networks: ['prod__gate_shop', 'prod__gate_blog'],
  })
  const changeOf = (name: string) => changes.find(({ application }) => application === name)

  it('P12 takes a service from its gate once the ingress sends nothing there any more', () => {
    expect(changeOf('shop')?.after).to.deep.include({
      key: 'local/tallyman-ingress/tallyman-ingress',
      must: 'end',
    })
    expect(changeOf('tallyman-ingress')?.after).to.deep.equal([])
    expect(changes.map(({ service }) => service)).to.include('network prod__gate_shop')
  })

  it('G7 says that a node does not answer while the task of the ingress there is replaced', () => {
    expect(changeOf('tallyman-ingress')).to.deep.include({
      downtime: true,
      strategyReason:
        'the Swarm replaces the task of one node after the other, and stops each before it starts the next',
    })
  })
})
