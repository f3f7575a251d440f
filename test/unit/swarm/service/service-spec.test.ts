import { expect } from 'chai'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import type { SwarmService } from '../../../../lib/state/application/swarm/swarm-service.ts'
import { label } from '../../../../lib/state/labels.ts'
import { serviceSpec } from '../../../../lib/swarm/service/service-spec.ts'
import { variablesOf } from '../../../../lib/swarm/service/task-record.ts'
import { container, identity } from '../../../support/builders/builders.ts'

const runs: SwarmService = {
  ...{ replicas: 2, endpoint: 'vip', publish: 'ingress' },
  update: { parallelism: 1, order: 'start-first', monitorMs: 5_000 },
}

/** What a manager is told of the tasks of a service that runs so. */
function told(more: Partial<SwarmService>, spec: Partial<Container> = {}): Readonly<Record<string, unknown>> {
  return specOf(more, spec).TaskTemplate
}

function specOf(more: Partial<SwarmService>, spec: Partial<Container> = {}) {
  const placement = {
    ...{ application: 'shop', service: 'web', instance: 1, role: 'app' as const, fingerprint: 'v1:f' },
    ...{ network: { name: 'prod__default' }, attachments: [], aliases: ['web'], instanceName: 'web.1' },
    runs: { ...runs, ...more },
  } as const
  const provenance = { ...identity('prod'), commit: 'c0ffee', record: 'f00d 7 edge-1' }
  const step = { service: 'prod_shop_web', placement, spec: { ...container(), ...spec } }
  return serviceSpec(step, provenance, [])
}

describe('what a manager is told of a service', () => {
  it('G10 lets no label of an image pass for one of ours on its tasks', () => {
    const { ContainerSpec } = told({})
    const { Labels } = Object(ContainerSpec)
    expect(Labels).to.have.keys(Object.values(label))
    expect(Object.entries(Labels).filter(([, value]) => value !== '')).to.deep.equal([
      ['tallyman.fingerprint', 'v1:f'],
    ])
  })

  it('D17 has on it what the journal counted before, and its tasks have not', () => {
    const { Labels, TaskTemplate } = specOf({})
    expect(Labels).to.include({ 'tallyman.record': 'f00d 7 edge-1' })
    expect(JSON.stringify(TaskTemplate)).not.to.include('f00d 7 edge-1')
  })

  it('G16 G24 takes no text for a template, whatever a variable, a mount or the host name has in it', () => {
    const { ContainerSpec } = told(
      {},
      {
        env: { A: '{{.Node.Hostname}}', B: 'a{{ b }}{{{', C: '}}{"{' },
        hostname: '{{.Task.ID}}',
        mounts: [
          {
            ...{ kind: 'volume', volume: 'data', path: '/{{.Node.ID}}', exclusive: false },
            made: { driver: 'local', options: { device: '{{.Service.Name}}' } },
          },
        ],
      },
    )
    const { Env, Hostname, Mounts } = Object(ContainerSpec)
    expect(Env).to.deep.equal(['A={{"{{"}}.Node.Hostname}}', 'B=a{{"{{"}} b }}{{"{{"}}{', 'C=}}{"{'])
    expect(variablesOf(Object(ContainerSpec))).to.deep.equal([
      ...['A={{.Node.Hostname}}', 'B=a{{ b }}{{{', 'C=}}{"{'],
    ])
    expect(Hostname).to.equal('{{"{{"}}.Task.ID}}')
    const [mount] = Mounts
    expect(mount.Target).to.equal('/{{"{{"}}.Node.ID}}')
    expect(mount.VolumeOptions.DriverConfig.Options).to.deep.equal({ device: '{{"{{"}}.Service.Name}}' })
  })

  it('A45 has constraints, platforms, and preferences in the order of their weight', () => {
    const placement = {
      constraints: ['node.labels.disk==ssd'],
      spread: ['zone', 'rack'],
      platform: 'linux/arm64',
    }
    expect(told(placement)['Placement']).to.deep.equal({
      Constraints: ['node.labels.disk==ssd'],
      Preferences: [
        { Spread: { SpreadDescriptor: 'node.labels.zone' } },
        { Spread: { SpreadDescriptor: 'node.labels.rack' } },
      ],
      Platforms: [{ OS: 'linux', Architecture: 'arm64' }],
    })
    expect(told({})).not.to.have.property('Placement')
  })

  it('A45 asks for arm by the names that nodes have for it, of which a Swarm knows none', () => {
    expect(told({ platform: 'linux/arm/v7' })['Placement']).to.deep.equal({
      Platforms: [
        { OS: 'linux', Architecture: 'armv6l' },
        { OS: 'linux', Architecture: 'armv7l' },
        { OS: 'linux', Architecture: 'armv8l' },
      ],
    })
  })
})
