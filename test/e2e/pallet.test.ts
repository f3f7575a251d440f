import { expect } from 'chai'
import { stringify } from 'yaml'
import { execIn } from '../support/exec-in.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type LiveContainer, type Scene } from './scene.ts'

/** A Pallet application in a few lines of shell: it writes down what it is run as, and its environment. */
const program = `#!/bin/sh
echo "$1 $TAG" >> /storage/phases
env | sed 's/=.*//' | sort > "/storage/env.$1"
case $1 in
  deploy) sleep "\${SLOWLY:-0}"; [ "$TAG" != bad ] ;;
  serve) trap 'echo "ended $TAG" >> /storage/phases; exit 0' TERM; touch /tmp/serves; sleep 1000000 & wait $! ;;
esac
`

async function prepared(): Promise<Scene> {
  const scene = await createScene()
  for (const TAG of ['1', '2', 'bad'])
    await scene.push('blog', TAG, {
      files: { '/run-phase': program },
      entrypoint: ['/run-phase'],
      cmd: ['serve'],
      env: { TAG },
      // Nothing is replaced by what has not written down yet that it serves.
      healthcheck: { test: ['CMD', 'test', '-e', '/tmp/serves'], intervalMs: 100 },
    })
  return scene
}

function blog(scene: Scene, env: Readonly<Record<string, string>> = {}, more: object = {}) {
  return {
    name: 'blog',
    services: [
      {
        name: 'web',
        replicas: 2,
        pallet: {
          domain: 'blog.example.com',
          protocol: 'https',
          environment: 'test',
          webConcurrency: 4,
          services: [
            {
              type: 'postgres',
              url: 'postgres://blog:pw@db:5432/blog',
              deployUrl: 'postgres://admin:pw@db/blog',
            },
          ],
          ...more,
        },
        containers: [{ name: 'app', image: `${scene.prefix}/blog:1`, env }],
      },
    ],
  }
}

const commit = (scene: Scene, tag: string, env?: Readonly<Record<string, string>>, more?: object) =>
  scene.commit(
    {
      services: [{ name: 'blog', containers: [{ dockerName: 'blog', dockerTag: tag }] }],
      skipConfirmation: true,
    },
    `Version ${tag}`,
    { 'applications/blog.yaml': stringify(blog(scene, env, more)) },
  )

async function serving(scene: Scene): Promise<readonly LiveContainer[]> {
  return (await scene.containers()).filter(
    ({ state, labels }) => state === 'running' && labels['tallyman.role'] === 'app',
  )
}

async function read(scene: Scene, file: string): Promise<readonly string[]> {
  const [one] = await serving(scene)
  return (await execIn(scene.dockerSocket, one?.id ?? '', `cat /storage/${file}`)).trim().split('\n')
}

async function deploying(scene: Scene): Promise<LiveContainer | undefined> {
  return (await scene.containers()).find(
    ({ state, labels }) => state === 'running' && labels['tallyman.role'] === 'deploy',
  )
}

describe('a Pallet application', () => {
  const it = sideBySide()

  it('P4 P6 P8 P11 P20 P21 P22 is deployed once per version, then served, barred after a failure, rolled back', async () => {
    await using scene = await prepared()
    const apply = (...flags: readonly string[]) => scene.tallyman.run('apply', '--output', 'json', ...flags)
    await commit(scene, '1', {}, { phases: { test: true } })
    expectCode(await apply(), 0)
    expect(await read(scene, 'phases')).to.deep.equal(['test 1', 'deploy 1', 'serve 1', 'serve 1'])
    const common = ['DB_DEFAULT_URL', 'ENVIRONMENT', 'SITE_DOMAIN', 'SITE_PROTOCOL']
    const ofImage = (names: readonly string[]) =>
      names.filter(name => !['HOME', 'HOSTNAME', 'PATH', 'PWD', 'SHLVL', 'TAG', '_'].includes(name))
    expect(ofImage(await read(scene, 'env.test'))).to.deep.equal(common)
    expect(ofImage(await read(scene, 'env.deploy'))).to.deep.equal([
      'DB_DEFAULT_URL',
      'DB_DEPLOY_URL',
      ...common.slice(1),
    ])
    expect(ofImage(await read(scene, 'env.serve'))).to.deep.equal([...common, 'WEB_CONCURRENCY'])

    await commit(scene, '2')
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(4)).to.deep.equal([
      ...['deploy 2', 'serve 2', 'ended 1', 'serve 2', 'ended 1'],
    ])

    await commit(scene, 'bad')
    const failed = await apply()
    expectCode(failed, 1)
    expect(documentOf(failed)).to.deep.include({ outcome: 'rolled-back' })
    expect(documentOf(failed).error).to.include({ code: 'job-failed' })
    await commit(scene, 'bad', { OTHER: 'setting' })
    expect(documentOf(await apply()).error).to.include({ code: 'barred' })
    expect((await read(scene, 'phases')).slice(9)).to.deep.equal(['deploy bad'])
    expect(documentOf(await apply('--retry')).error).to.include({ code: 'job-failed' })
    expect((await read(scene, 'phases')).slice(9)).to.deep.equal(['deploy bad', 'deploy bad'])

    await commit(scene, '1')
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(11), 'D10 deploy of an old version runs again').to.deep.equal([
      ...['deploy 1', 'serve 1', 'ended 2', 'serve 1', 'ended 2'],
    ])
    await commit(scene, '2', {}, { redeployOnRollback: false })
    expectCode(await apply(), 0)
    expect((await read(scene, 'phases')).slice(16, 17), 'D10 unless it is told not to').to.deep.equal([
      'serve 2',
    ])
  })

  it('P5 P7 X1 a running deploy outlives the daemon and a newer commit; the next deploy waits for its end', async () => {
    await using scene = await prepared()
    await commit(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await commit(scene, '2', { SLOWLY: '4' })
    await waitUntil('deploy runs', () => deploying(scene))
    const deploy = await deploying(scene)
    await daemon.stop()
    expect((await deploying(scene))?.id, 'P7 it goes on without the daemon').to.equal(deploy?.id)

    await commit(scene, '1', { SLOWLY: '0', NEW: 'yes' })
    const again = await scene.tallyman.daemon()
    await again.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const phases = await read(scene, 'phases')
    expect(phases.filter(line => line.startsWith('deploy'))).to.deep.equal([
      'deploy 1',
      'deploy 2',
      'deploy 1',
    ])
    expect(phases, 'P4 a version whose deploy was overtaken is never served').to.not.include('serve 2')
  })

  it('P6 H22 a deploy that ends while nobody looks is collected, not run again', async () => {
    await using scene = await prepared()
    await commit(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    await commit(scene, '2', { SLOWLY: '2' })
    await waitUntil('deploy runs', () => deploying(scene))
    await daemon.stop()
    await waitUntil('deploy has ended', async () => (await deploying(scene)) === undefined)
    const again = await scene.tallyman.daemon()
    await again.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
    const phases = await read(scene, 'phases')
    expect(phases.filter(line => line.startsWith('deploy'))).to.deep.equal(['deploy 1', 'deploy 2'])
    expect(phases).to.include('serve 2')
  })
})
