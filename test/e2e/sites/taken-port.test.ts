import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { freePort } from '../../support/network/free-port.ts'

async function publish(scene: Scene, port: number): Promise<void> {
  await scene.push('web', '1')
  const specification = `name: web
services:
  - name: web
    containers: [{name: web, image: ${scene.prefix}/web:1, ports: ["127.0.0.1:${port}:80"]}]
`
  await scene.commit({ services: [{ name: 'web' }] }, 'Publish', { 'applications/web.yaml': specification })
}

describe('two environments that publish one port of the host', () => {
  it('G13 D15 the second one is told whose it is when it plans, touches nothing, and runs once it is free', async () => {
    await using first = await createScene()
    await using second = await createScene()
    const port = await freePort()
    await publish(first, port)
    await publish(second, port)
    expectCode(await first.tallyman.run('apply', '--yes'), 0)
    const [holder] = await first.containers()
    const { stdout } = await second.tallyman.run('plan')
    expect(stdout).to.match(
      new RegExp(
        `web/web in environments/${first.environment} of .* publishes host port 127\\.0\\.0\\.1:${port}`,
      ),
    )
    const held = await second.tallyman.run('apply', '--yes')
    expect(held.code).not.to.equal(0)
    expect(await second.containers()).to.deep.equal([])
    await engineCall(first.dockerSocket, 'DELETE', `/containers/${holder?.id}?force=1`)
    expectCode(await second.tallyman.run('apply', '--yes'), 0)
    expect((await second.containers()).map(({ state }) => state)).to.deep.equal(['running'])
  })
})
