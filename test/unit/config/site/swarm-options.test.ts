import { expect } from 'chai'
import { faultSwarmKeys, swarmOptionsOf } from '../../../../lib/config/site/swarm-options.ts'
import { ingressConfig } from '../../../support/builders/ingress-config.ts'

const usual = ingressConfig({})
const node = 'm4wdiqxt022ohomge88z69aia'

describe('what the operator says of a Swarm', () => {
  it('pins the ingress to one node, or to those with labels, and gives it a volume of all nodes', () => {
    const of = (ingress: object) => swarmOptionsOf({ kind: 'swarm', ingress }, usual)?.ingress
    expect(of({})).to.deep.equal({})
    expect(of({ node })).to.deep.equal({ constraints: [`node.id==${node}`], isPinned: true })
    expect(of({ nodeLabels: { edge: 'yes', zone: 'a' } })).to.deep.equal({
      constraints: ['node.labels.edge==yes', 'node.labels.zone==a'],
    })
    expect(of({ storage: { driver_opts: { type: 'nfs' } } })).to.deep.equal({
      storage: { driver: 'local', options: { type: 'nfs' } },
    })
  })

  it('tells of certificates and of an ingress of the operator, and that a host is no Swarm', () => {
    const certificates = [{ cert: '/cert.pem', key: '/key.pem' }]
    expect(swarmOptionsOf({ kind: 'swarm' }, ingressConfig({ certificates }))).to.deep.equal({
      endpoint: 'vip',
      publish: 'ingress',
      ingress: { hasCertificates: true },
    })
    expect(swarmOptionsOf({ kind: 'swarm' }, ingressConfig({ external: true }))?.ingress).to.deep.equal({
      isExternal: true,
    })
    expect(swarmOptionsOf({}, usual)).to.equal(undefined)
  })

  it('has a fault where a host says so', () => {
    const faults: string[] = []
    faultSwarmKeys({ ingress: { node } }, '/sites/0', (at, why) => faults.push(`${at} ${why}`))
    expect(faults).to.deep.equal(['/sites/0/ingress is only for a site with "kind: swarm"'])
  })

  it('P33 has a fault where each node would have a storage of its own', () => {
    const faults: string[] = []
    const of = (storage: { readonly driver?: string; readonly driver_opts?: Record<string, string> }) =>
      faultSwarmKeys({ kind: 'swarm', ingress: { storage } }, '/sites/0', (at, why) =>
        faults.push(`${at} ${why}`),
      )
    of({ driver: 'rexray' })
    of({ driver_opts: { type: 'nfs' } })
    expect(faults).to.deep.equal([])
    of({ driver: 'local' })
    of({ driver_opts: { type: 'tmpfs', device: 'tmpfs' } })
    const own =
      '/sites/0/ingress/storage has neither a driver nor "driver_opts" of a share: each node would have its own'
    expect(faults).to.deep.equal([own, own])
  })
})
