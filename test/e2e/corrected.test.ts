import { createServer } from 'node:http'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { engineCall } from '../support/engine-call.ts'
import { freePort } from '../support/free-port.ts'
import { close, listen } from '../support/listen.ts'
import { sideBySide } from '../support/side-by-side.ts'
import type { Daemon, StatusDocument } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'
import { documentOf, expectCode } from './document.ts'
import { createScene, type Scene } from './scene.ts'

type Parts = {
  readonly version: string
  readonly replicas?: number
  /** What each instance runs. */
  readonly cmd?: string
  readonly isHealthy?: boolean
  readonly strategy?: Readonly<Record<string, unknown>>
  readonly hook?: { readonly stage: 'pre' | 'mid' | 'post'; readonly line: string }
  readonly skipConfirmation?: boolean
  readonly deadline?: number
  readonly image?: string
}

/** Commits the application `web`, recreated at every change. */
async function commit(scene: Scene, parts: Parts): Promise<void> {
  const {
    version,
    replicas = 1,
    cmd,
    isHealthy,
    strategy = {},
    hook,
    skipConfirmation = true,
    image,
    deadline,
  } = parts
  const hooks = hook && {
    [hook.stage]: {
      failurePolicy: 'Abort',
      execNewPod: { containerName: 'app', command: ['sh', '-c'], args: [hook.line], volumes: ['log'] },
    },
  }
  const web = {
    name: 'web',
    services: [
      {
        name: 'web',
        replicas,
        volumes: [{ name: 'log', 'persistent-volume': {} }],
        strategy: {
          type: 'Recreate',
          ...(deadline === undefined ? {} : { progressDeadlineSeconds: deadline }),
          recreate: { timeoutSeconds: 4, ...strategy, ...hooks },
        },
        containers: [
          {
            name: 'app',
            image: image ?? `${scene.prefix}/app:1`,
            env: { VERSION: version },
            mounts: [{ 'volume-name': 'log', 'mount-path': '/log' }],
            ...(cmd === undefined ? {} : { cmd: ['sh', '-c', cmd] }),
            ...(isHealthy === undefined
              ? {}
              : { healthcheck: { test: ['CMD', String(isHealthy)], interval: '100ms', retries: 100 } }),
          },
        ],
      },
    ],
  }
  const files = { 'applications/web.yaml': stringify(web) }
  await scene.commit({ services: [{ name: 'web' }], skipConfirmation }, `Run ${version}`, files)
}

/** The versions that run, by their environment variable, one for each container. */
async function versions(scene: Scene): Promise<readonly string[]> {
  const running = (await scene.containers()).filter(({ state }) => state === 'running')
  const seen = await Promise.all(
    running.map(async ({ id }) => {
      const { body } = await engineCall(scene.dockerSocket, 'GET', `/containers/${id}/json`)
      const { Config }: { readonly Config: { readonly Env: readonly string[] } } = JSON.parse(body.toString())
      return Config.Env.find(entry => entry.startsWith('VERSION='))?.slice('VERSION='.length) ?? '?'
    }),
  )
  return seen.sort()
}

const runs = (scene: Scene, ...wanted: readonly string[]) =>
  waitUntil(`${wanted.join(', ')} runs`, async () => String(await versions(scene)) === String(wanted))

const isQuarantined = ({ errors }: StatusDocument) => errors.some(({ code }) => code === 'quarantined')

async function started(scene: Scene, parts: Parts): Promise<Daemon> {
  await scene.push('app', '1')
  await commit(scene, parts)
  const daemon = await scene.tallyman.daemon()
  await daemon.until('it is deployed', seen => seen.sync === 'Synced' && seen.running === undefined)
  return daemon
}

/** The container of the environment that runs. */
async function onlyRunning(scene: Scene): Promise<string> {
  const [one, ...others] = (await scene.containers()).filter(({ state }) => state === 'running')
  if (one === undefined || others.length > 0) throw new Error('not exactly one container runs')
  return one.id
}

async function commitLabel(scene: Scene): Promise<string | undefined> {
  const path = `/containers/${await onlyRunning(scene)}/json`
  const { body } = await engineCall(scene.dockerSocket, 'GET', path)
  const { Config }: { readonly Config: { readonly Labels: Readonly<Record<string, string>> } } = JSON.parse(
    body.toString(),
  )
  return Config.Labels['tallyman.commit']
}

describe('what failed, and is then corrected', () => {
  const it = sideBySide()

  it('H29 D18 after a failed mid hook "apply --retry" runs the hook again, and the new version serves', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    const line = 'echo x >> /log/tries; [ $(wc -l < /log/tries) -gt 1 ]'
    await commit(scene, { version: '2', hook: { stage: 'mid', line } })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.include({ code: 'not-restored' })
    expect(await versions(scene)).to.deep.equal([])
    expectCode(await tallyman.run('apply', '--retry'), 0)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H29 D18 after a failed mid hook a commit that corrects the hook alone is tried, and serves', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    expectCode(await tallyman.run('apply'), 1)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 0' } })
    expectCode(await tallyman.run('apply'), 0)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H29 after a failed mid hook the daemon starts nothing by itself, while the correction waits for a yes', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    await daemon.until('it is down', ({ errors }) => errors.some(({ code }) => code === 'quarantined'))
    await commit(scene, { version: '3', skipConfirmation: false })
    const { waiting } = await daemon.until(
      'it waits',
      seen => seen.waiting !== undefined && seen.running === undefined,
    )
    expectCode(await scene.tallyman.run('reconcile'), 0)
    await daemon.until(
      'it still waits',
      seen => seen.waiting?.plan === waiting?.plan && seen.running === undefined,
    )
    expect(await versions(scene)).to.deep.equal([])
    expectCode(await scene.tallyman.run('approve', waiting?.plan ?? ''), 0)
    await runs(scene, '3')
  })

  it('G5 D9 with "drift: report" a revert brings back what tallyman itself stopped', async () => {
    await using scene = await createScene({ config: { drift: 'report' } })
    const { tallyman } = scene
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    await commit(scene, { version: '2', hook: { stage: 'mid', line: 'exit 3' } })
    expectCode(await tallyman.run('apply'), 1)
    await commit(scene, { version: '1' })
    expectCode(await tallyman.run('apply'), 0)
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  it('D4 D18 a hook that was not in the approved plan is asked about, and does not run', async () => {
    await using scene = await createScene()
    const { tallyman } = scene
    const daemon = await started(scene, { version: '1' })
    const hook = (line: string) => ({ stage: 'pre' as const, line })
    await commit(scene, { version: '2', hook: hook('exit 3'), skipConfirmation: false })
    const first = await daemon.until('it waits', seen => seen.waiting !== undefined)
    expectCode(await tallyman.run('approve', first.waiting?.plan ?? ''), 0)
    await daemon.until('it failed', isQuarantined)
    await commit(scene, { version: '2', hook: hook('exit 0'), skipConfirmation: false })
    const second = await daemon.until('it waits again', seen => seen.waiting !== undefined)
    expect(second.waiting?.plan).not.to.equal(first.waiting?.plan)
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  it('G5 D9 what serves is repaired while what is wanted is in quarantine: stopped, paused and removed by hand', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    const first = await commitLabel(scene)
    await commit(scene, { version: '2', cmd: 'exit 7' })
    await daemon.until('it is in quarantine', seen => isQuarantined(seen) && seen.running === undefined)
    await runs(scene, '1')
    for (const way of ['stop?t=1', 'pause'])
      await engineCall(scene.dockerSocket, 'POST', `/containers/${await onlyRunning(scene)}/${way}`).then(
        () => runs(scene, '1'),
      )
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${await onlyRunning(scene)}?force=1`)
    await runs(scene, '1')
    expect(await commitLabel(scene), 'the commit it is made from').to.equal(first)
    await daemon.until('it still is in quarantine', isQuarantined)
  })

  it('G5 D18 a commit that only raises the time limit is tried again', async () => {
    await using scene = await createScene()
    const slow = 'trap "exit 0" TERM; sleep 3; touch /tmp/up; sleep 1000000 & wait $!'
    await scene.push('app', '1')
    const parts = { version: '1', cmd: slow, isHealthy: true }
    await commit(scene, { ...parts, strategy: { timeoutSeconds: 1 }, isHealthy: false })
    expectCode(await scene.tallyman.run('apply'), 1)
    expect(documentOf(await scene.tallyman.run('apply', '--output', 'json')).error).to.include({
      code: 'quarantined',
    })
    await commit(scene, { ...parts, strategy: { timeoutSeconds: 2 }, isHealthy: false })
    expect(documentOf(await scene.tallyman.run('apply', '--output', 'json')).error).to.include({
      code: 'health-timeout',
    })
  })

  it('G12 D18 a rollout is not left half-done for a commit that waits for a yes: it comes to its end', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false })
    await daemon.until(
      'it waits for health',
      ({ running }) => running?.step?.startsWith('await-healthy') === true,
    )
    await commit(scene, { version: '3', skipConfirmation: false })
    await runs(scene, '1')
    await daemon.until(
      'the newer one waits',
      seen => seen.waiting !== undefined && seen.running === undefined,
    )
    expect(await versions(scene)).to.deep.equal(['1'])
  })

  it('G5 D18 what a stopped daemon left half-done is put back, though the newest commit waits for a yes', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false, strategy: { timeoutSeconds: 600 } })
    await daemon.until(
      'it waits for health',
      ({ running }) => running?.step?.startsWith('await-healthy') === true,
    )
    await daemon.stop()
    expect(await versions(scene)).to.deep.equal(['2'])
    await commit(scene, { version: '3', skipConfirmation: false })
    await scene.tallyman.daemon()
    await runs(scene, '1')
  })

  it('G5 D15 what a stopped daemon left half-done comes to its end, though the newest commit cannot be read', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', isHealthy: false })
    await daemon.until(
      'it waits for health',
      ({ running }) => running?.step?.startsWith('await-healthy') === true,
    )
    await daemon.stop()
    await scene.repository.commit({ [`environments/${scene.environment}/manifest.json`]: '{' }, 'Break it')
    const again = await scene.tallyman.daemon()
    await runs(scene, '1')
    const { applications } = await again.until('it says why', ({ errors }) =>
      errors.some(({ code }) => code === 'json-invalid'),
    )
    expect(applications.map(({ application }) => application)).to.deep.equal(['web'])
  })

  it('G17 a port that is freed by hand is noticed, and what waits for it delays no other application', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    const holder = createServer()
    const port = await freePort()
    await listen(holder, port)
    const taker = {
      name: 'taker',
      services: [
        {
          name: 'taker',
          containers: [{ name: 'app', image: `${scene.prefix}/app:1`, ports: [`127.0.0.1:${port}:80`] }],
        },
      ],
    }
    const other = {
      name: 'other',
      services: [{ name: 'other', containers: [{ name: 'app', image: `${scene.prefix}/app:1` }] }],
    }
    await scene.commit(
      { services: [{ name: 'other' }, { name: 'taker' }], skipConfirmation: true },
      'Run both',
      {
        'applications/taker.yaml': stringify(taker),
        'applications/other.yaml': stringify(other),
      },
    )
    const daemon = await scene.tallyman.daemon()
    await daemon.until(
      'the port is taken',
      seen =>
        seen.errors.some(({ code }) => code === 'port-taken') &&
        seen.applications.some(({ application, running }) => application === 'other' && running === 1),
    )
    const removed = await onlyRunning(scene)
    await engineCall(scene.dockerSocket, 'DELETE', `/containers/${removed}?force=1`)
    await waitUntil('the other one is there again', async () =>
      (await scene.containers()).some(
        one => one.service === 'other' && one.state === 'running' && one.id !== removed,
      ),
    )
    await close(holder)
    await daemon.until('it runs by itself', ({ sync }) => sync === 'Synced')
  })

  it('H30 a post hook that failed stays in status until another release or a word', async () => {
    await using scene = await createScene()
    const daemon = await started(scene, { version: '1' })
    await commit(scene, { version: '2', hook: { stage: 'post', line: 'echo no index; exit 4' } })
    const isTold = ({ errors }: StatusDocument) => errors.some(({ code }) => code === 'job-failed')
    await daemon.until(
      'it is told',
      seen => isTold(seen) && seen.sync === 'Synced' && seen.running === undefined,
    )
    expectCode(await scene.tallyman.run('reconcile'), 0)
    const { applications } = await daemon.until(
      'it still is',
      seen => isTold(seen) && seen.running === undefined,
    )
    expect(applications[0]?.reason).to.include('no index')
    expectCode(await scene.tallyman.run('retry', 'web'), 0)
    await daemon.until('it is told no more', seen => !isTold(seen) && seen.running === undefined)
    expect(await versions(scene)).to.deep.equal(['2'])
  })

  it('H25 H30 a post hook is ended by the deadline of its rollout, and the new version serves', async () => {
    await using scene = await createScene()
    await scene.push('app', '1')
    await commit(scene, { version: '1' })
    expectCode(await scene.tallyman.run('apply'), 0)
    await commit(scene, {
      version: '2',
      deadline: 5,
      hook: { stage: 'post', line: 'sleep 1000' },
    })
    const late = await scene.tallyman.run('apply', '--output', 'json')
    expect(documentOf(late).error).to.include({ code: 'rollout-timeout' })
    expect(await versions(scene)).to.deep.equal(['2'])
    expectCode(await scene.tallyman.run('apply', '--retry'), 0)
  })
})
