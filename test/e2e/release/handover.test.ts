import { expect } from 'chai'
import { release } from '../../scenes/applications/application-with-port.ts'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { freePort } from '../../support/network/free-port.ts'

describe('a host port', () => {
  it('G11 D3 moves in one commit to another service, also from one that left the manifest', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const apply = () => scene.tallyman.run('apply', '--yes')
    const port = await freePort()
    await release(scene, { a: undefined, b: port })
    expectCode(await apply(), 0)
    await release(scene, { a: port, b: undefined })
    expectCode(await apply(), 0)
    await release(scene, { aa: port })
    expectCode(await apply(), 0)
    expect((await scene.containers()).map(({ service, state }) => `${service} ${state}`)).to.deep.equal([
      'aa running',
    ])
  })
})
