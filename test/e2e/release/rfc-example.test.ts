import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Manifest, type Scene } from '../../scenes/scene.ts'
import { fixtureFiles } from '../../support/files/fixture.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe("the RFC's manifest example", () => {
  const it = sideBySide()

  it('E3 E10 plans and applies with both included files', async () => {
    await using scene = await createScene()
    await scene.commit(...(await example(scene)))
    const planned = await scene.tallyman.run('plan')
    expectCode(planned, 0)
    expect(planned.stdout).to.include('Plan: 4 to create, 0 to replace, 0 to remove.')
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const containers = await scene.containers()
    expect(containers.map(({ service, state }) => `${service} ${state}`)).to.deep.equal([
      'events-beat running',
      'events-logger running',
      'files running',
      'other running',
    ])
    expect(containers[1]?.labels).to.include({
      'tallyman.application': 'events-logger',
      'tallyman.instance': '1',
      'tallyman.role': 'app',
      'tallyman.version': '0.1.0',
      'tallyman.commit': await scene.repository.head(),
    })
  })

  it('E14 D15 fails with the file named when one included file is missing, and touches nothing', async () => {
    await using scene = await createScene()
    const [manifest, message, more] = await example(scene)
    const { 'other.json': other = '', ...rest } = more
    await scene.commit(manifest, message, more)
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
    const before = await scene.containers()

    const changed = { ...manifest, services: [] }
    await scene.commit(changed, 'Lose a file', { ...rest, 'other.json': null })
    const applied = await scene.tallyman.run('apply', '--yes')
    expectCode(applied, 1)
    const path = `environments/${scene.environment}`
    expect(applied.stderr).to.include(`${path}/manifest.json:3:5: `)
    expect(applied.stderr).to.include('other.json').and.to.include('(file-missing)')
    expect(await scene.containers()).to.deep.equal(before)

    await scene.commit(manifest, 'Find it again', { ...rest, 'other.json': other })
    expect(documentOf(await scene.tallyman.run('plan', '--output', 'json')).changes).to.deep.equal([])
  })
})

/** The fixture with digests of images that exist. */
async function example(scene: Scene): Promise<readonly [Manifest, string, Readonly<Record<string, string>>]> {
  const directory = 'environments/devel/'
  const files = Object.fromEntries(
    Object.entries(await fixtureFiles('rfc-example')).map(([path, text]) => [
      path.slice(directory.length),
      text,
    ]),
  )
  const { 'manifest.json': root = '{}', ...included } = files
  const manifest: Manifest = JSON.parse(root)
  const [logger, beat] = await Promise.all([
    scene.push('events-logger', 'e96ae0a'),
    scene.push('events-beat', 'e96ae0a'),
    scene.push('other', '1.4.2'),
    scene.push('file-store', '2.0.1'),
  ])
  const digests: Readonly<Record<string, string>> = {
    'events-logger': logger.digest,
    'events-beat': beat.digest,
  }
  const services = (manifest.services ?? []).map(service => ({
    ...service,
    containers: (service.containers ?? []).map(container => ({
      ...container,
      dockerDigest: digests[service.name] ?? '',
    })),
  }))
  return [{ ...manifest, services }, 'The example', included]
}
