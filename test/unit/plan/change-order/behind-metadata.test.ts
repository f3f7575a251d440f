import { expect } from 'chai'
import { type MetadataSettings, withMetadataService } from '../../../../lib/metadata/application.ts'
import type { Application } from '../../../../lib/state/application/application.ts'
import { mapContainers } from '../../../../lib/state/application/members.ts'
import { metadataNetwork } from '../../../../lib/state/application/metadata.ts'
import type { LiveState } from '../../../../lib/state/running/live.ts'
import { changed, desired, digest, live } from '../../../support/builders/builders.ts'
import { planOf } from '../../../support/builders/planning.ts'
import { builtPod, pod } from '../../spec/pod/built-pod.ts'

/** The pod `worker`, whose apps ask the metadata service. */
function worker(annotation: string): Application {
  const { application } = builtPod(pod({ annotations: [{ name: 'note', value: annotation }] }))
  if (application === undefined) throw new Error('it was not built')
  return mapContainers(application, container => ({
    ...container,
    image: { ...container.image, pin: { state: 'pinned', digest: digest('1') } },
  }))
}

const settings: MetadataSettings = {
  image: { reference: 'tallyman:1', pin: { state: 'pinned', digest: digest('2') } },
  pool: '10.202.0.0/16',
}

function stateOf(...pods: readonly Application[]) {
  return desired(...withMetadataService('prod', pods, settings))
}

const key = 'local/tallyman-metadata/tallyman-metadata'

/** The same, with the service and the pod on these networks. */
function on(state: LiveState, service: readonly string[]): LiveState {
  const both = changed(state, 'tallyman-metadata.1', { networks: ['prod.tallyman-metadata', ...service] })
  return {
    ...both,
    containers: both.containers.map(one =>
      one.role === 'sandbox' ? { ...one, networks: ['prod', `prod.${one.application}.metadata`] } : one,
    ),
  }
}

describe('a pod and the metadata service', () => {
  it('C53 are made one after the other, and the pod also where the service fails', () => {
    const { changes } = planOf({ desired: stateOf(worker('a')), live: live() })
    expect(changes.map(({ application, after }) => [application, after])).to.deep.equal([
      ['tallyman-metadata', []],
      ['worker', [{ key, must: 'end' }]],
    ])
  })

  it('G2 C53 need nothing once the service is on the network of the pod', () => {
    const state = stateOf(worker('a'))
    const { changes } = planOf({
      desired: state,
      live: on(live(state), ['prod.worker.metadata']),
      applied: state,
    })
    expect(changes).to.deep.equal([])
  })

  it('C53 meet on the network of the pod, without a gate for what runs on', () => {
    const state = stateOf(worker('a'))
    const { changes } = planOf({ desired: state, live: on(live(state), []), applied: state })
    expect(
      changes.map(({ application, action, reason, prepare, stages }) => ({
        ...{ application, action, reason },
        steps: [...prepare, ...stages.flat()].map(step => step.do),
      })),
    ).to.deep.equal([
      {
        application: 'tallyman-metadata',
        action: 'start',
        reason: 'to be reached on network prod.worker.metadata',
        steps: ['create-network', 'connect-network'],
      },
    ])
  })

  it('C53 part together with their network, after the pod is gone', () => {
    const other = { ...worker('b'), name: 'other' }
    const services = other.services.map(service => ({
      ...service,
      name: 'other',
      instances: service.instances.map(instance => ({
        ...instance,
        attachments: [metadataNetwork('prod', 'other', settings.pool)],
      })),
    }))
    const [both, one] = [stateOf(worker('a'), { ...other, services }), stateOf({ ...other, services })]
    const { changes } = planOf({
      desired: one,
      live: on(live(both), ['prod.other.metadata', 'prod.worker.metadata']),
      applied: both,
      networks: ['prod', 'prod.tallyman-metadata', 'prod.other.metadata', 'prod.worker.metadata'],
    })
    expect(
      changes.map(({ service, stages }) => [
        service,
        stages
          .flat()
          .map(step => step.do)
          .join(', '),
      ]),
    ).to.deep.include(['network prod.worker.metadata', 'disconnect-network, remove-network'])
  })
})
