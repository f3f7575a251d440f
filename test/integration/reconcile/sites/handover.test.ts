import { expect } from 'chai'
import { stringify } from 'yaml'
import { release } from '../../../scenes/applications/application-with-port.ts'
import { documentOf, expectCode } from '../../../scenes/plan-document.ts'
import { createScene, type Scene } from '../scene.ts'

/** Commits an application that publishes a port, and in place of all others. */
function only({ commit, prefix }: Scene, name: string) {
  const containers = [{ name: 'app', image: `${prefix}/web:1`, ports: ['8088:80'] }]
  const services = [{ name, containers, network: { 'outbound-access': { 'allow-all': true } } }]
  return commit({ skipConfirmation: true, services: [{ name }] }, name, {
    [`applications/${name}.yaml`]: stringify({ name, version: '1.0.0', services }),
  })
}

describe('a host port', () => {
  it('G13 that two exchange holds both, touches neither, and says what to do', async () => {
    await using scene = await createScene()
    scene.push('app', '1')
    const [one, two] = [8001, 8002]
    await release(scene, { a: one, b: two })
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const before = await scene.containers()
    await release(scene, { a: two, b: one })
    const planned = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
    expect(JSON.stringify(planned)).to.include('change them one after the other, in two commits')
    await scene.tallyman.run('apply', '--yes')
    expect(await scene.containers()).to.deep.equal(before)
  })

  for (const kind of ['host', 'swarm'])
    it(`G13 D3 that is to pass on is waited for until its removal is confirmed, on a ${kind}`, async () => {
      const site = { kind, ...(kind === 'swarm' ? { endpointMode: 'dnsrr', publishMode: 'host' } : {}) }
      await using scene = await createScene({ site, config: { healthyTime: '0s' } })
      if (kind === 'swarm') scene.engine.beginSwarm()
      scene.push('web', '1')
      await only(scene, 'porta')
      expectCode(await scene.tallyman.run('apply'), 0)
      await only(scene, 'portb')
      await scene.tallyman.run('apply')
      const { stdout } = await scene.tallyman.run('status')
      expect(stdout).to.match(/^ +portb .* waits for the removal of porta, which has host port 8088$/m)
      expectCode(await scene.tallyman.run('apply', '--yes'), 0)
      expect((await scene.tallyman.run('status')).stdout).to.match(/^ +portb +local +Synced/m)
    })
})
