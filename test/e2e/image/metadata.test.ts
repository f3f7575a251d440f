import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { tallymanImage } from '../../support/images/tallyman-image.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const image = (name: string) => ({ name, labels: [{ name: 'version', value: '1' }] })

const labels = { 'org.opencontainers.image.url': 'https://example.com/tools', role: 'tool', NotOne: 'x' }

function pod(annotation: string, apps: readonly string[] = ['main']) {
  return JSON.stringify({
    acVersion: '0.8.11',
    acKind: 'PodManifest',
    apps: apps.map(name => ({
      name,
      image: image('tools'),
      app: { exec: ['sleep', '100000'], user: '1000', group: '1000' },
      annotations: [{ name: 'role', value: name }],
    })),
    annotations: [{ name: 'ip-address', value: annotation }],
  })
}

describe('the metadata service of pods', () => {
  const it = sideBySide()
  let imageOfTallyman: string
  before(async () => {
    imageOfTallyman = (await tallymanImage()).reference
  })

  /** The networks of its pods have these addresses. */
  async function prepared(subnets: string): Promise<Scene> {
    await using stack = new AsyncDisposableStack()
    const scene = stack.use(
      await createScene({ commands: 'here', config: { metadata: { image: imageOfTallyman, subnets } } }),
    )
    await Promise.all([scene.push('sandbox', '1'), scene.push('tools', '1', { labels })])
    stack.move()
    return scene
  }

  const commit = (scene: Scene, pods: Readonly<Record<string, string>>, message: string) =>
    scene.commit(
      { services: Object.keys(pods).map(name => ({ name })), skipConfirmation: true },
      message,
      Object.fromEntries(Object.entries(pods).map(([name, text]) => [`applications/${name}.json`, text])),
    )

  const inApp = async (scene: Scene, service: string, app: string, line: string): Promise<string> => {
    const found = (await scene.containers()).find(
      one => one.service === service && one.labels['tallyman.container'] === app,
    )
    return execIn(scene.dockerSocket, found?.id ?? '', line)
  }

  const ask = (scene: Scene, service: string, path: string, more = '') =>
    inApp(scene, service, 'main', `wget -q -O - ${more} $AC_METADATA_URL/acMetadata/v1${path} 2>&1`)

  const sign = (scene: Scene, service: string) =>
    ask(scene, service, '/pod/hmac/sign', '--post-data=content=hello')

  const verify = (scene: Scene, service: string, uuid: string, signature: string) =>
    ask(
      scene,
      service,
      '/pod/hmac/verify',
      `--post-data="content=hello&uuid=${uuid}&signature=${encodeURIComponent(signature)}"`,
    )

  it('C53 C54 C55 C56 tells pods what they are, lets any of them verify what one signed, and keeps them apart', async () => {
    await using scene = await prepared('10.215.0.0/17')
    const { tallyman } = scene
    await commit(scene, { one: pod('10.1.2.3', ['main', 'side']), two: pod('10.1.2.4') }, 'First')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    const uuid = await ask(scene, 'one', '/pod/uuid')
    expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    expect(await ask(scene, 'two', '/pod/uuid')).not.to.equal(uuid)
    expect(JSON.parse(await ask(scene, 'one', '/pod/annotations'))).to.deep.equal([
      { name: 'ip-address', value: '10.1.2.3' },
    ])
    const id = await ask(scene, 'one', '/apps/main/image/id')
    expect(id).to.match(/^sha256-[0-9a-f]{64}$/)
    const manifest = JSON.parse(await ask(scene, 'one', '/pod/manifest'))
    expect(manifest.apps.map((app: { image: object }) => app.image)).to.deep.equal([
      { ...image('tools'), id },
      { ...image('tools'), id },
    ])
    expect(JSON.parse(await ask(scene, 'one', '/apps/side/annotations'))).to.deep.equal([
      { name: 'homepage', value: 'https://example.com/tools' },
      { name: 'org.opencontainers.image.url', value: 'https://example.com/tools' },
      { name: 'role', value: 'side' },
    ])
    expect(
      JSON.parse(await ask(scene, 'one', '/apps/main/image/manifest')).app.exec.slice(0, 2),
    ).to.deep.equal(['sh', '-c'])
    expect(await ask(scene, 'two', '/apps/side/annotations'), 'that is an app of the other pod').to.match(
      /404/,
    )
    expect(await inApp(scene, 'one', 'main', 'echo $AC_METADATA_URL'), 'all apps have one token').to.equal(
      await inApp(scene, 'one', 'side', 'echo $AC_METADATA_URL'),
    )

    const signature = await sign(scene, 'one')
    expect(await verify(scene, 'two', uuid, signature)).to.equal('')
    expect(await verify(scene, 'two', await ask(scene, 'two', '/pod/uuid'), signature)).to.match(/403/)
    expect(
      await inApp(
        scene,
        'two',
        'main',
        `wget -q -O - \${AC_METADATA_URL%/*}/${uuid}/acMetadata/v1/pod/uuid 2>&1`,
      ),
      'the UUID of a pod is no token',
    ).to.match(/401/)

    const [service] = (await scene.containers()).filter(one => one.service === 'tallyman-metadata')
    const { Config, HostConfig, NetworkSettings } = JSON.parse(
      JSON.stringify(await engineGet(scene.dockerSocket, `/containers/${service?.id}/json`)),
    )
    expect([Config.User, HostConfig.ReadonlyRootfs, HostConfig.CapDrop]).to.deep.equal([
      '65532:65532',
      true,
      ['ALL'],
    ])
    expect(Object.keys(NetworkSettings.Networks).sort()).to.deep.equal(
      ['one.metadata', 'tallyman-metadata', 'two.metadata'].map(name => `${scene.environment}.${name}`),
    )

    await commit(scene, { one: pod('10.1.2.5', ['main', 'side']) }, 'One of them, and it changed')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect(JSON.parse(await ask(scene, 'one', '/pod/annotations'))).to.deep.equal([
      { name: 'ip-address', value: '10.1.2.5' },
    ])
    expect(await ask(scene, 'one', '/pod/uuid'), 'another pod').not.to.equal(uuid)
    expect(await verify(scene, 'one', uuid, signature), 'what was signed stays signed').to.equal('')
    expect(
      (await scene.containers()).filter(one => one.service === 'tallyman-metadata').map(({ id }) => id),
      'the service runs on',
    ).to.deep.equal([service?.id])
  })

  it('C53 C54 keeps tokens and signatures over the end of the daemon, of the service and of apps, and tokens over the loss of the key', async () => {
    await using scene = await prepared('10.215.128.0/17')
    await commit(scene, { one: pod('10.1.2.3') }, 'First')
    const first = await scene.tallyman.daemon()
    await first.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    const [uuid, signature] = [await ask(scene, 'one', '/pod/uuid'), await sign(scene, 'one')]
    first.signal('SIGKILL')
    await first.ended

    const idOf = async (service: string, container: string) =>
      (await scene.containers()).find(
        one => one.service === service && one.labels['tallyman.container'] === container,
      )?.id
    await engineCall(scene.dockerSocket, 'POST', `/containers/${await idOf('one', 'main')}/kill`)
    const gone = await idOf('tallyman-metadata', 'tallyman-metadata')
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${gone}?force=1`)

    const second = await scene.tallyman.daemon()
    await second.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(await idOf('tallyman-metadata', 'tallyman-metadata'), 'another container').not.to.equal(gone)
    expect(await ask(scene, 'one', '/pod/uuid')).to.equal(uuid)
    expect(await sign(scene, 'one')).to.equal(signature)
    expect(await verify(scene, 'one', uuid, signature)).to.equal('')

    const url = await inApp(scene, 'one', 'main', 'echo -n $AC_METADATA_URL')
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${await idOf('one', 'sandbox')}?force=1`)
    await waitUntil('its token is unknown', async () => {
      const asked = `wget -q -O - ${url}/acMetadata/v1/pod/uuid 2>&1; echo -n $AC_METADATA_URL`
      const said = await inApp(scene, 'one', 'main', asked).catch(() => '')
      return /401/.test(said) && !said.endsWith(url) ? said : undefined
    })
    expect(await ask(scene, 'one', '/pod/uuid'), 'another pod').not.to.equal(uuid)
    expect(await verify(scene, 'one', uuid, signature), 'what was signed stays signed').to.equal('')

    const [before, running] = [await ask(scene, 'one', '/pod/uuid'), await idOf('one', 'main')]
    const service = await idOf('tallyman-metadata', 'tallyman-metadata')
    const volume = `${scene.environment}.tallyman-metadata.data`
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${service}?force=1`)
    await engineCall(scene.dockerSocket, 'DELETE', `/volumes/${volume}`)
    await waitUntil('the pod is known again', async () =>
      (await ask(scene, 'one', '/pod/uuid').catch(() => '')) === before ? true : undefined,
    )
    await second.until('it is in sync', seen => seen.sync === 'Synced' && seen.running === undefined)
    expect(await idOf('one', 'main'), 'it runs on').to.equal(running)
    expect(await verify(scene, 'one', uuid, signature), 'there is another key').to.match(/403/)
    expect(await engineGet(scene.dockerSocket, `/volumes/${volume}`))
      .to.have.property('Labels')
      .that.includes({ 'tallyman.environment': scene.environment })
  })
})
