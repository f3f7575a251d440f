import { expect } from 'chai'
import { forSwarm } from '../../../../lib/resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../../../lib/state/application/desired.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { application, desired, live, service } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'

/** Five applications of a Swarm, of which `metrics` and `proxy` run one task on each node. */
function wanted(tag: string, replicas: 'global' | 2 = 'global'): DesiredState {
  const names = ['blog', 'metrics', 'news', 'proxy', 'shop']
  const of = (name: string) =>
    application(name, [service({ name, tag, replicas: 2 })], {}).services.map(one => ({ ...one, name }))
  const all = names.map(name => application(name, of(name)))
  const state = forSwarm(desired(...all), { endpoint: 'dnsrr', publish: 'host' })
  const isByNode = (name: string) => name === 'metrics' || name === 'proxy'
  return {
    ...state,
    applications: state.applications.map(one =>
      isByNode(one.name)
        ? {
            ...one,
            services: one.services.map(each => ({
              ...each,
              instances: each.instances.map(instance => ({
                ...instance,
                ...(instance.runs === undefined ? {} : { runs: { ...instance.runs, replicas } }),
              })),
            })),
          }
        : one,
    ),
  }
}

function running(state: DesiredState): LiveState {
  const { site, containers } = live(state)
  const replicas = new Map(
    state.applications.flatMap(({ services }) =>
      services.map(({ name, instances: [one] }) => [name, one?.runs?.replicas ?? 2]),
    ),
  )
  return {
    site,
    containers: containers.map(one => ({
      ...one,
      runs: { mark: {}, replicas: replicas.get(one.service) ?? 2, wanted: 2, running: 2 },
    })),
  }
}

function afterOf(before: DesiredState, after: DesiredState): Readonly<Record<string, string>> {
  const { changes } = planOf({
    desired: after,
    live: running(before),
    applied: before,
    networks: ['prod__default'],
  })
  return Object.fromEntries(
    changes
      .filter(({ held }) => held === undefined)
      .map(({ application, after }) => [
        application,
        after.map(({ key, must }) => `${key.split('/')[1]} (${must})`).join(', '),
      ]),
  )
}

describe('what a Swarm replaces node by node', () => {
  it('G5 G17 is carried out alone, because the Swarm replaces it at once wherever anything else starts or ends', () => {
    expect(afterOf(wanted('1'), wanted('2'))).to.deep.equal({
      blog: '',
      metrics: 'blog (end)',
      news: 'metrics (end)',
      proxy: 'metrics (end), news (end)',
      shop: 'proxy (end)',
    })
  })

  it('G24 makes nothing else wait: neither what has no task on each node nor what is made for the first time', () => {
    const none = { blog: '', metrics: '', news: '', proxy: '', shop: '' }
    expect(afterOf(wanted('1', 2), wanted('2', 2))).to.deep.equal(none)
    expect(afterOf(desired(), wanted('2'))).to.deep.equal(none)
  })
})
