import { expect } from 'chai'
import { freePort } from '../support/free-port.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Scene } from './scene.ts'

/** Commits applications that publish a port each, or none. */
function release(scene: Scene, ports: Readonly<Record<string, number | undefined>>): Promise<string> {
  const names = Object.keys(ports)
  const files = names.map(name => {
    const published = ports[name] === undefined ? '' : `, ports: ["127.0.0.1:${ports[name]}:80"]`
    const text = `name: ${name}\nservices:\n  - {name: ${name}, containers: [{name: app, image: app${published}}]}\n`
    return [`applications/${name}.yaml`, text] as const
  })
  const services = names.map(name => ({ name, containers: [{ dockerName: 'app', dockerTag: '1' }] }))
  return scene.commit({ services }, 'Move a port', Object.fromEntries(files))
}

describe('a host port', () => {
  const it = sideBySide()

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

  it('G13 that two exchange holds both, touches neither, and says what to do', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const [one, two] = [await freePort(), await freePort()]
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
