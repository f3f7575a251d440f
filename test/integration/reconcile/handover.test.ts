import { expect } from 'chai'
import { release } from '../../scenes/application-with-port.ts'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene } from './scene.ts'

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
})
