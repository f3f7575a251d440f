import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { runningTasks, servicesOn, swarmForTests } from '../../support/engine/swarm.ts'

describe('an application that grows from a host to a Docker Swarm', () => {
  const engine = swarmForTests()

  /** The engine as a host, and as the Swarm that it manages. */
  const bothSites = () => {
    const endpoint = `unix://${engine.socket}`
    return [
      { name: 'machine', endpoint, kind: 'host' },
      { name: 'cluster', endpoint, kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' },
    ]
  }

  /** Commits the application and the sites that it is for. */
  const release = (scene: Scene, sites: string) => {
    const containers = [{ name: 'web', image: `${scene.prefix}/web:1` }]
    const shop = { name: 'shop', version: '1', services: [{ name: 'web', replicas: 2, containers }] }
    const deployment = {
      ...{ name: 'shop', application: 'shop', 'application-version': '*' },
      placement: { 'match-site-labels': sites },
    }
    return scene.commit({}, sites, {
      'applications/shop.yaml': stringify(shop),
      'deployments/shop.yaml': stringify(deployment),
    })
  }

  it('G8 G10 G17 serves there, after a plan of its own, before the host lets go, which asks', async () => {
    await using scene = await createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      config: { sites: bothSites() },
    })
    const { tallyman, environment } = scene
    await scene.push('web', '1', { cmd: ['sh', '-c', 'trap "exit 0" TERM; sleep 1000000 & wait $!'] })
    const onHost = async () =>
      (await scene.containers()).filter(({ labels }) => labels['tallyman.instance'] !== undefined)
    const onSwarm = async () => {
      const all = await servicesOn(engine.socket)
      const own = all.find(({ Spec }) => Spec.Name === `${environment}_shop_web`)
      return own === undefined ? [] : runningTasks(engine.socket, own)
    }
    const planned = async () => {
      const { changes } = documentOf(await tallyman.run('plan', '--output', 'json'))
      return changes.map(({ site, action, service }) => `${site}: ${action} ${service}`)
    }
    await release(scene, 'system/name = machine')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const before = await onHost()
    expect([before.length, (await onSwarm()).length]).to.deep.equal([2, 0])

    await release(scene, 'system/name = machine or system/name = cluster')
    expect(await planned()).to.deep.equal(['cluster: create web'])
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const tasks = await onSwarm()
    expect(tasks).to.have.lengthOf(2)
    expect(await onHost(), 'the host serves on').to.deep.equal(before)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    await release(scene, 'system/name = cluster')
    expect(await planned()).to.deep.equal([
      'machine: remove web',
      `machine: remove network ${environment}.shop`,
    ])
    expect(documentOf(await tallyman.run('apply', '--output', 'json')).outcome).to.equal('needs-confirmation')
    expect(await onHost(), 'nobody has confirmed it').to.deep.equal(before)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await onHost()).to.deep.equal([])
    expect(await onSwarm(), 'the same ones').to.have.members(tasks)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G13 tells before anything is touched that both are to publish one port of their engine', async () => {
    await using scene = await createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      config: { sites: bothSites(), policy: { ports: { anyAddress: true } } },
    })
    const { tallyman } = scene
    await scene.push('web', '1', { cmd: ['sleep', '1000000'] })
    const containers = [{ name: 'web', image: `${scene.prefix}/web:1`, ports: ['18180:80'] }]
    const network = { 'outbound-access': { 'allow-all': true } }
    const shop = {
      name: 'shop',
      version: '1',
      services: [{ name: 'web', mode: 'global', network, containers }],
    }
    await scene.commit({ services: [{ name: 'shop' }] }, 'shop', {
      'applications/shop.yaml': stringify(shop),
    })
    const { changes } = documentOf(await tallyman.run('plan', '--output', 'json'))
    expect(changes.map(({ site, held }) => [site, held?.code, held?.reason])).to.have.deep.members([
      ['machine', undefined, undefined],
      [
        ...['cluster', 'port-taken'],
        'shop/web on the site machine, which is the same engine, publishes host port 18180',
      ],
    ])
  })
})
