import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, inspect, type LiveContainer, type Scene } from '../../scenes/scene.ts'
import type { Daemon } from '../../support/command/tallyman.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** Serves as long as /alive is there; a second container only lives beside it. */
const serving = `mkdir -p /www; touch /www/alive; trap 'exit 0' TERM; httpd -f -p 8080 -h /www & wait $!`

/** One instance of two containers, whose first has a liveness and a readiness probe. */
async function deployed(parts: object = {}): Promise<Scene & { readonly daemon: Daemon }> {
  const scene = await createScene({ commands: 'here' })
  await Promise.all([scene.push('sandbox', '1'), scene.push('app', '1')])
  const http = { path: '/alive', port: 8080 }
  const web = {
    name: 'web',
    services: [
      {
        name: 'web',
        containers: [
          {
            name: 'app',
            image: `${scene.prefix}/app:1`,
            cmd: ['sh', '-c', serving],
            probes: {
              startup: { http, period: '1s', 'failure-threshold': 30 },
              liveness: { http, period: '1s', 'failure-threshold': 2 },
              readiness: { http, period: '1s', 'failure-threshold': 1 },
            },
          },
          { name: 'beside', image: `${scene.prefix}/app:1` },
        ],
        ...parts,
      },
    ],
  }
  await scene.commit({ services: [{ name: 'web' }], skipConfirmation: true }, 'Deploy', {
    'applications/web.yaml': stringify(web),
  })
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  return { ...scene, daemon }
}

const named = async (scene: Scene, name: string): Promise<LiveContainer> => {
  const found = (await scene.containers()).find(({ labels }) => labels['tallyman.container'] === name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

const startedAt = async (scene: Scene, name: string): Promise<string> =>
  (await inspect(scene.dockerSocket, (await named(scene, name)).id)).State.StartedAt

describe('an instance of two containers', () => {
  let scene: Scene & { readonly daemon: Daemon }

  before(async () => {
    scene = await deployed()
  })

  after(() => scene[Symbol.asyncDispose]())

  it('A44 starts the container again that its liveness probe gave up, and no other', async () => {
    const before = { app: await startedAt(scene, 'app'), beside: await startedAt(scene, 'beside') }
    await execIn(scene.dockerSocket, (await named(scene, 'app')).id, 'rm /www/alive')
    await waitUntil('it is started again', async () => (await startedAt(scene, 'app')) !== before.app)
    await scene.daemon.until(
      'it is ready again',
      seen => seen.applications[0]?.health === 'Healthy' && seen.running === undefined,
    )
    expect(await startedAt(scene, 'beside')).to.equal(before.beside)
    const log = await scene.tallyman.run('log')
    expect(log.stdout).to.include('drift')
  })

  it('A47 reaches its neighbours and nothing outside', async () => {
    const { id } = await named(scene, 'beside')
    const said = await execIn(scene.dockerSocket, id, 'wget -qO- http://web:8080/alive && echo reached')
    expect(said).to.equal('reached\n')
    const network: { readonly Internal: boolean } = JSON.parse(
      JSON.stringify(await engineGet(scene.dockerSocket, `/networks/${scene.environment}.web`)),
    )
    expect(network.Internal, 'the engine lets nothing out of it').to.equal(true)
  })
})

describe('an instance whose sandbox dies', () => {
  const it = sideBySide()

  for (const shared of [true, false])
    it(`X5 starts all of it again when the sandbox dies, its processes ${shared ? 'shared' : 'not shared'}`, async () => {
      await using scene = await deployed({ 'share-pid-namespace': shared })
      const sandbox = await named(scene, 'sandbox')
      const starts = () => Promise.all(['sandbox', 'app', 'beside'].map(name => startedAt(scene, name)))
      const before = await starts()
      const killed = await engineCall(scene.dockerSocket, 'POST', `/containers/${sandbox.id}/kill`)
      expect(killed.status).to.equal(204)
      await waitUntil('all of it is started again', async () => {
        const now = await starts().catch(() => before)
        return now.every((start, index) => start !== before[index])
      })
      const reached = async () => {
        const { id } = await named(scene, 'beside')
        const said = await execIn(
          scene.dockerSocket,
          id,
          'ls /sys/class/net; wget -qO- http://127.0.0.1:8080/alive && echo reached',
        )
        return said.includes('eth0') && said.includes('reached')
      }
      await waitUntil('all of it is back on the network', () => reached().catch(() => false))
    })
})

describe('an application beside another one whose hook runs', () => {
  /** A hook that runs until somebody stops it, as it may for hours. */
  const endless = `trap 'exit 0' TERM; sleep 1000 & wait $!`

  const slow = (scene: Scene, version: string) =>
    stringify({
      name: 'slow',
      version,
      services: [
        {
          name: 'slow',
          containers: [{ name: 'app', image: `${scene.prefix}/app:${version}` }],
          strategy: {
            type: 'RollingUpdate',
            ...(version === '1'
              ? {}
              : {
                  rollingUpdate: {
                    pre: {
                      failurePolicy: 'Abort',
                      execNewPod: { containerName: 'app', command: ['sh', '-c', endless] },
                    },
                  },
                }),
          },
        },
      ],
    })

  /** Both run, and the hook of version 2 of `slow` as well. */
  async function whileHookRuns(scene: Scene) {
    await Promise.all(['1', '2'].map(tag => scene.push('app', tag, { env: { V: tag } })))
    const release = (version: string, { quick = '1', skipConfirmation = true } = {}) =>
      scene.commit(
        {
          services: [
            { name: 'slow' },
            { name: 'quick', containers: [{ dockerName: 'app', dockerTag: quick }] },
          ],
          skipConfirmation,
        },
        version,
        { 'applications/slow.yaml': slow(scene, version) },
      )
    await release('1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('both run', seen => seen.sync === 'Synced' && seen.applications.length === 2)
    await release('2')
    const all = (role: string, service: string) =>
      scene
        .containers()
        .then(found =>
          found.filter(
            ({ labels, ...one }) =>
              labels['tallyman.role'] === role && one.service === service && one.state === 'running',
          ),
        )
    const [hook] = await waitUntil('the hook runs', async () => {
      const hooks = await all('hook', 'slow')
      return hooks.length === 1 && hooks
    })
    return { daemon, release, all, hook }
  }

  it('G17 comes back when somebody removes it, and is told, before that hook ends', async () => {
    await using scene = await createScene({ commands: 'here' })
    const { daemon, all, hook } = await whileHookRuns(scene)
    const [before] = await all('app', 'quick')
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${before?.id}?force=1`)
    const [after] = await waitUntil('it is back', async () => {
      const apps = await all('app', 'quick')
      return apps.length === 1 && apps
    })
    expect(after?.id).to.not.equal(before?.id)
    await daemon.until('it is told', ({ applications, running }) => {
      const quick = applications.find(({ application }) => application === 'quick')
      return running !== undefined && quick?.sync === 'Synced' && quick.running === 1
    })
    expect((await all('hook', 'slow')).map(({ id }) => id)).to.deep.equal([hook?.id])
    await engineCall(scene.dockerSocket, 'POST', `/containers/${hook?.id}/stop`)
    await daemon.until(
      'the release has ended',
      ({ applications, sync, running }) =>
        running === undefined && sync === 'Synced' && applications.every(one => one.running === one.wanted),
    )
    expect((await all('app', 'slow')).map(({ labels }) => labels['tallyman.version'])).to.deep.equal(['2'])
    expect((await scene.tallyman.run('log')).stdout).to.include('drift')
  })

  it('D4 G12 gets what "plan" shows and somebody approves before that hook ends', async () => {
    await using scene = await createScene({ commands: 'here' })
    const { daemon, release, all, hook } = await whileHookRuns(scene)
    await release('2', { quick: '2', skipConfirmation: false })
    const { id } = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
    expectCode(await scene.tallyman.run('approve', id), 0)
    await daemon.until('it is in place', ({ applications, running }) => {
      const quick = applications.find(({ application }) => application === 'quick')
      return running !== undefined && quick?.sync === 'Synced' && quick.version === '2'
    })
    expect((await all('hook', 'slow')).map(({ id }) => id)).to.deep.equal([hook?.id])
    const [quick] = await all('app', 'quick')
    expect(await execIn(scene.dockerSocket, quick?.id ?? '', 'echo $V')).to.equal('2\n')
  })
})
