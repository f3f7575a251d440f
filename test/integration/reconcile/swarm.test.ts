import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../scenes/plan-document.ts'
import type { Swarm } from '../../support/simulated/swarm.ts'
import { createScene, type Scene } from './scene.ts'

/** A scene whose site is a simulated Swarm of one node. */
async function swarmScene(config: object = {}): Promise<Scene & { readonly swarm: Swarm }> {
  const site = { kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' }
  const scene = await createScene({ site, config: { healthyTime: '0s', ...config } })
  return Object.assign(scene, { swarm: scene.engine.beginSwarm() })
}

/** Commits `shop` in this version: a service of each name, all alike. */
function release(
  { commit, prefix }: Scene,
  tag: string,
  names: readonly string[] = ['web'],
  parts: object = {},
  container: object = {},
) {
  const services = names.map(name => ({
    ...{ name, replicas: 1, ...parts },
    containers: [{ name: 'app', image: `${prefix}/web:${tag}`, ...container }],
  }))
  return commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': stringify({ name: 'shop', version: tag, services }),
  })
}

describe('services of a Swarm', () => {
  it('G15 have one config for the same file, also where two of them are made at the same time', async () => {
    await using scene = await swarmScene()
    scene.push('web', '1')
    const volumes = [{ name: 'conf', 'config-map': { items: [{ name: 'a.conf', data: 'the same' }] } }]
    const mounts = [{ 'volume-name': 'conf', files: [{ name: 'a.conf', 'mount-path': '/etc/a.conf' }] }]
    await release(scene, '1', ['api', 'web'], { volumes }, { mounts })
    expectCode(await scene.tallyman.run('apply'), 0)
    const configs = scene.swarm.configs.list({}).filter(({ Spec }) => Spec.Labels?.['tallyman.service'])
    expect(configs).to.have.lengthOf(1)
    expect(scene.swarm.list({})).to.have.lengthOf(2)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G24 take three calls each to be made or replaced, two to be removed, and few besides, however many they are', async () => {
    await using scene = await swarmScene()
    const { engine, swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    const names = Array.from({ length: 80 }, (_, at) => `s${at}`)
    const commit = (some: readonly string[], dockerTag: string) => {
      const services = some.map(name => ({ name, containers: [{ dockerName: 'web', dockerTag }] }))
      return scene.commit({ skipConfirmation: true, services })
    }
    /** How many calls about single services a command makes. There are fewer others than services. */
    const callsOf = async (...args: readonly string[]) => {
      engine.forgetCalls()
      expectCode(await tallyman.run(...args), 0)
      const single = engine.calls.filter(call => call.includes('/services/'))
      expect(engine.calls.length - single.length).to.be.lessThan(names.length)
      return single.length
    }
    for (const tag of ['1', '2']) {
      await commit(names, tag)
      // Each is looked at before it is changed, and right after.
      expect(await callsOf('apply'), `version ${tag}`).to.equal(3 * names.length)
      const running = swarm.tasks({}).filter(({ DesiredState }) => DesiredState === 'running')
      expect(running).to.have.lengthOf(names.length)
      expect(await callsOf('plan', '--detailed-exitcode')).to.equal(0)
    }
    await commit(names.slice(0, 1), '2')
    expect(await callsOf('apply', '--yes')).to.equal(2 * (names.length - 1))
    expect(swarm.list({})).to.have.lengthOf(1)
  })
})
