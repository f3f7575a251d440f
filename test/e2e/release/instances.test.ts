import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, type LiveContainer, type Scene } from '../../scenes/scene.ts'
import { engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { serves } from '../../support/images/images.ts'

/** Two services of three containers in all, with a config file, a secret file, a volume and a readiness probe. */
function shop(scene: Scene, greeting: string) {
  return {
    name: 'shop',
    services: [
      {
        name: 'web',
        mode: 'replicated',
        replicas: 2,
        variables: [{ name: 'GREETING', value: greeting }],
        volumes: [
          { name: 'pages', 'config-map': { items: [{ name: 'index.html', data: `${greeting}\n` }] } },
          { name: 'keys', secret: { items: [{ name: 'token', secret: 'shop/token' }] } },
          { name: 'scratch', 'ephemeral-volume': { size: '1m' } },
        ],
        'init-containers': [
          {
            name: 'setup',
            image: `${scene.prefix}/tools:1`,
            cmd: ['sh', '-c', 'echo ready > /scratch/state'],
            mounts: [{ 'volume-name': 'scratch', 'mount-path': '/scratch' }],
          },
        ],
        containers: [
          {
            name: 'httpd',
            image: `${scene.prefix}/web:1`,
            env: { HELLO: '${GREETING} from ${GREETING}', TOKEN: { secret: 'shop/token' } },
            mounts: [
              { 'volume-name': 'pages', 'mount-path': '/www' },
              { 'volume-name': 'keys', files: [{ name: 'token', 'mount-path': '/etc/token' }] },
              { 'volume-name': 'scratch', 'mount-path': '/scratch' },
            ],
            probes: { readiness: { http: { path: '/index.html', port: 8080 }, period: '1s' } },
          },
          {
            name: 'sidecar',
            image: `${scene.prefix}/tools:1`,
            user: '1000:1000',
            mounts: [{ 'volume-name': 'scratch', 'mount-path': '/shared' }],
          },
        ],
      },
      {
        name: 'store',
        volumes: [{ name: 'data', 'persistent-volume': {} }],
        containers: [
          {
            name: 'store',
            image: `${scene.prefix}/tools:1`,
            mounts: [{ 'volume-name': 'data', 'mount-path': '/data' }],
          },
        ],
      },
    ],
  }
}

describe('an application of several containers', () => {
  async function prepared(): Promise<Scene> {
    const secrets = 'secrets'
    const scene = await createScene({ commands: 'here' })
    await Promise.all([
      scene.push('sandbox', '1'),
      scene.push('tools', '1'),
      scene.push('web', '1', { cmd: serves(8080) }),
    ])
    const { directory, stateDir } = scene.tallyman
    await mkdir(join(directory, secrets, 'shop'), { recursive: true })
    await writeFile(join(directory, secrets, 'shop', 'token'), 'canary-7f3a\n')
    const config = {
      ...scene.config,
      stateDir,
      secrets: { directory: join(directory, secrets) },
    }
    await writeFile(join(directory, 'tallyman.yaml'), stringify(config))
    return scene
  }

  const commit = (scene: Scene, greeting: string, message: string) =>
    scene.commit({ services: [{ name: 'shop' }] }, message, {
      'applications/shop.yaml': stringify(shop(scene, greeting)),
    })

  const named = async (scene: Scene, name: string): Promise<readonly LiveContainer[]> =>
    (await scene.containers()).filter(({ labels }) => labels['tallyman.container'] === name)

  const shell = async (scene: Scene, name: string, line: string): Promise<readonly string[]> =>
    Promise.all((await named(scene, name)).map(({ id }) => execIn(scene.dockerSocket, id, line)))

  it('A44 A45 C50 G15 comes up, is updated without a gap, is rolled back, and its files with it', async () => {
    await using scene = await prepared()
    const { tallyman, dockerSocket } = scene
    const apply = async () => expectCode(await tallyman.run('apply', '--yes'), 0)
    const isEmpty = async () => expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)

    await commit(scene, 'hello', 'First')
    await apply()
    await isEmpty()
    expect(
      await shell(scene, 'sidecar', 'wget -qO- http://127.0.0.1:8080/index.html; cat /shared/state'),
    ).to.deep.equal(['hello\nready\n', 'hello\nready\n'])
    expect(await shell(scene, 'httpd', 'echo $HELLO; echo $TOKEN; cat /etc/token')).to.deep.equal([
      'hello from hello\ncanary-7f3a\ncanary-7f3a',
      'hello from hello\ncanary-7f3a\ncanary-7f3a',
    ])
    expect(await shell(scene, 'sidecar', 'echo mine > /shared/mine && cat /shared/mine')).to.deep.equal([
      'mine\n',
      'mine\n',
    ])
    await shell(scene, 'store', 'echo kept > /data/file')
    const store = await named(scene, 'store')

    await commit(scene, 'good day', 'Second')
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('web/httpd/files/1/content: hello\\n → good day\\n')
    await apply()
    await isEmpty()
    expect(await shell(scene, 'sidecar', 'wget -qO- http://127.0.0.1:8080/index.html')).to.deep.equal([
      'good day\n',
      'good day\n',
    ])
    expect(await named(scene, 'store'), 'what did not change is not touched').to.deep.equal(store)

    await commit(scene, 'hello', 'Revert "Second"')
    await apply()
    expect(await shell(scene, 'httpd', 'cat /www/index.html')).to.deep.equal(['hello\n', 'hello\n'])
    expect(await shell(scene, 'store', 'cat /data/file')).to.deep.equal(['kept\n'])

    await commit(scene, 'hello', 'Remove it')
    await scene.commit({
      services: [{ name: 'other', containers: [{ dockerName: 'tools', dockerTag: '1' }] }],
    })
    await apply()
    const filters = encodeURIComponent(
      JSON.stringify({ label: [`tallyman.environment=${scene.environment}`] }),
    )
    const volumes = JSON.stringify(await engineGet(dockerSocket, `/volumes?filters=${filters}`))
    expect(JSON.parse(volumes).Volumes.map(({ Name }: { readonly Name: string }) => Name)).to.deep.equal([
      `${scene.environment}.shop.data`,
    ])
  })
})
