import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { caddy } from '../../../support/simulated/caddy.ts'
import { release } from '../ingress/routed.ts'
import { createScene, type SwarmScene } from '../scene.ts'

/** One engine is a host, `local`, and by itself a Swarm, `cluster`. */
async function bothScene(): Promise<SwarmScene> {
  const scene = await createScene({
    config: prefix => ({
      ...{ healthyTime: '0s', ingress: { image: `${prefix}/caddy:2`, http: { port: 8180 } } },
    }),
    site: { kind: 'host' },
    sameEngine: { name: 'cluster', kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' },
  })
  scene.push('caddy', '2', caddy)
  scene.push('app', '1')
  return Object.assign(scene, { swarm: scene.engine.beginSwarm() })
}

const routes = [{ host: 'shop.example', tls: 'off' }]

/** What becomes of the ingress on each site, in the order of the sites. */
const ofIngress = ({ changes }: ReturnType<typeof documentOf>) =>
  changes
    .filter(({ application }) => application === 'tallyman-ingress')
    .map(({ site, action, held }) => [site, action, held?.code, held?.reason])

describe('a Swarm and a host that are one engine', () => {
  it('G13 P12 tell before anything is touched that both are to publish the ports of an ingress', async () => {
    await using scene = await bothScene()
    const { tallyman, swarm } = scene
    await release(scene, { name: 'shop', routes })
    const reason =
      'tallyman-ingress/tallyman-ingress on the site local, which is the same engine, publishes host port 8180'
    const planned = documentOf(await tallyman.run('plan', '--output', 'json'))
    expect(ofIngress(planned)).to.have.deep.members([
      ['local', 'create', undefined, undefined],
      ['cluster', 'create', 'port-taken', reason],
    ])
    const { outcome, error } = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect([outcome, error?.code]).to.deep.equal(['partially-applied', 'port-taken'])
    expect(swarm.list({}).map(({ Spec }) => Spec.Name)).to.deep.equal([`${scene.environment}_shop_web`])
  })

  it('A26 G13 P12 hand the ports over once the host no longer has them', async () => {
    await using scene = await bothScene()
    const { tallyman, swarm } = scene
    const on = async (sites: string) => {
      const file = {
        ...{ name: 'shop', application: 'shop', 'application-version': '*' },
        placement: { 'match-site-labels': sites },
      }
      const specification = stringify({
        ...{ name: 'shop', version: '1' },
        services: [
          {
            ...{ name: 'web', ingress: routes.map(route => ({ port: 8000, ...route })) },
            containers: [{ name: 'app', image: `${scene.prefix}/app:1` }],
          },
        ],
      })
      const files = { 'applications/shop.yaml': specification, 'deployments/shop.yaml': stringify(file) }
      const services = [{ name: 'other', containers: [{ dockerName: 'app', dockerTag: '1' }] }]
      await scene.commit({ skipConfirmation: true, services }, sites, files)
      return documentOf(await tallyman.run('apply', '--yes', '--output', 'json'))
    }
    await on('system/name = local')
    const [container] = scene.engine.containers().filter(({ name }) => name.includes('tallyman-ingress'))
    const source = container?.config.Labels['tallyman.source']
    const moved = await on('system/name = cluster')
    expect(ofIngress(moved)).to.have.deep.members([
      ['local', 'remove', undefined, undefined],
      [
        ...['cluster', 'create', 'port-taken'],
        `tallyman-ingress/tallyman-ingress in environments/${scene.environment} of ${source} (the container ${container?.name}) publishes host port 8180`,
      ],
    ])
    expect((await on('system/name = cluster')).outcome).to.equal('applied')
    expect(swarm.list({}).map(({ Spec }) => Spec.Name)).to.deep.equal([
      `${scene.environment}_other`,
      `${scene.environment}_shop_web`,
      `${scene.environment}_tallyman-ingress`,
    ])
  })

  it('G13 P12 both publish them where the Swarm runs no tasks on that engine', async () => {
    await using scene = await bothScene()
    scene.swarm.availability = 'drain'
    await release(scene, { name: 'shop', routes })
    expect(ofIngress(documentOf(await scene.tallyman.run('plan', '--output', 'json')))).to.have.deep.members([
      ['local', 'create', undefined, undefined],
      ['cluster', 'create', undefined, undefined],
    ])
  })

  it('G10 G17 each keep to their own, also where nobody says that the host is one', async () => {
    await using scene = await createScene({
      config: { healthyTime: '0s' },
      sameEngine: { name: 'cluster', kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' },
    })
    const { tallyman, environment } = scene
    const swarm = scene.engine.beginSwarm()
    for (const name of ['web', 'other']) scene.push(name, '1')
    const containers = [{ name: 'web', image: `${scene.prefix}/web:1` }]
    await scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, 'shop', {
      'applications/shop.yaml': stringify({
        name: 'shop',
        services: [{ name: 'web', replicas: 2, containers }],
      }),
    })
    const planned = await tallyman.run('plan')
    const unused = /(\w+): the engine manages a Swarm, and is taken for one host/g
    expect([...planned.stdout.matchAll(unused)].map(([, site]) => site)).to.deep.equal(['local'])
    expectCode(await tallyman.run('apply'), 0)
    const instances = (await scene.containers()).filter(
      ({ labels }) => labels['tallyman.instance'] !== undefined,
    )
    expect(instances).to.have.lengthOf(2)
    expect(swarm.tasks({ 'desired-state': ['running'] })).to.have.lengthOf(2)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    await scene.commit({ skipConfirmation: true, services: [service('other', '1')] })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(swarm.list({}).map(({ Spec }) => Spec.Name)).to.deep.equal([`${environment}_other`])
    expect((await scene.containers()).map(one => one.service)).to.deep.equal(['other'])
  })
})
