import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../../scenes/plan-document.ts'
import { service } from '../../../scenes/scene.ts'
import { createSwarmScene } from '../scene.ts'

describe('files of services of a Swarm', () => {
  it('G15 are configs, which go with the last service that names them, now or if it goes back', async () => {
    await using scene = await createSwarmScene()
    const { swarm } = scene
    scene.push('web', '1')
    const apply = async (...more: readonly string[]) =>
      expectCode(await scene.tallyman.run('apply', ...more), 0)
    const release = async (data: string) => {
      const volumes = [{ name: 'conf', 'config-map': { items: [{ name: 'web.conf', data }] } }]
      const mounts = [{ 'volume-name': 'conf', files: [{ name: 'web.conf', 'mount-path': '/etc/web.conf' }] }]
      const web = {
        name: 'web',
        containers: [{ name: 'web', image: `${scene.prefix}/web:1`, mounts }],
        volumes,
      }
      await scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, data, {
        'applications/shop.yaml': stringify({ name: 'shop', services: [web] }),
      })
      await apply()
    }
    /** What the configs with a file of a service say. */
    const held = () =>
      swarm.configs
        .list({})
        .filter(({ Spec }) => Spec.Labels?.['tallyman.service'])
        .map(({ Spec }) => Buffer.from(Spec.Data ?? '', 'base64').toString())
        .sort()
    await release('one')
    expect(held()).to.deep.equal(['one'])
    await release('two')
    await release('three')
    expect(held(), 'the way back keeps its own').to.deep.equal(['three', 'two'])
    await scene.commit({ skipConfirmation: true, services: [service('web', '1')] })
    await apply('--yes')
    expect(held()).to.deep.equal([])
  })
})
