import { expect } from 'chai'
import {
  application,
  commit,
  type Stage,
  type Strategy,
} from '../../scenes/applications/application-with-hooks.ts'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene, type Scene } from '../../scenes/scene.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { execIn } from '../../support/engine/exec-in.ts'
import { servicesOn } from '../../support/engine/swarm.ts'
import { swarmApart } from '../../support/engine/swarm-nodes.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** What runs notes itself, and ends as it is told. */
const cmd =
  'trap "echo stop $VERSION >> /log/told; exit 0" TERM; echo start $VERSION >> /log/told; sleep 1000000 & wait $!'

type Hooks = Partial<Record<Stage, { readonly line: string; readonly policy: string }>>

describe('hooks and phases on a Docker Swarm', () => {
  const it = sideBySide(4)
  const machine = swarmApart()

  const sceneOf = async () => {
    const endpoint = `unix://${machine.dockerSocket}`
    const cluster = { name: 'cluster', endpoint, kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' }
    const scene = await createScene({
      commands: 'here',
      machine,
      config: { healthyTime: '300ms', sites: [cluster] },
    })
    await scene.push('app', '1')
    return scene
  }

  const release = (
    scene: Scene,
    version: string,
    hooks: Hooks,
    more: { readonly type?: Strategy; readonly replicas?: number; readonly timeoutSeconds?: number } = {},
  ) => {
    const { type = 'RollingUpdate', ...parts } = more
    return commit(scene, [application(scene, 'shop', version, type, hooks, { cmd, ...parts })])
  }

  /** The names of the services of the scene. */
  const services = async ({ environment }: Scene): Promise<readonly string[]> => {
    const all = (await servicesOn(machine.dockerSocket)).map(({ Spec }) => Spec.Name)
    return all.filter(name => name.startsWith(environment)).map(name => name.slice(environment.length + 1))
  }

  /** The container of a task that runs. */
  const runningOf = async ({ environment }: Scene): Promise<string> => {
    const filters = { label: [`com.docker.swarm.service.name=${environment}_shop`], status: ['running'] }
    const path = `/containers/json?filters=${encodeURIComponent(JSON.stringify(filters))}`
    const [one]: readonly { readonly Id: string }[] = JSON.parse(
      JSON.stringify(await engineGet(machine.dockerSocket, path)),
    )
    if (one === undefined) throw new Error('one runs')
    return one.Id
  }

  /** Everything that was noted, by any task of the scene. */
  const told = async (scene: Scene): Promise<readonly string[]> =>
    (await execIn(machine.dockerSocket, await runningOf(scene), 'cat /log/told')).trim().split('\n')

  /** What `show` says of the last pass. */
  const shownLast = async ({ tallyman }: Scene): Promise<string> => {
    const [, pass = ''] = /^#(\d+)/.exec((await tallyman.run('log')).stdout) ?? []
    return (await tallyman.run('show', pass)).stdout
  }

  const note = (stage: Stage, policy = 'Abort') => ({ line: `echo ${stage} $VERSION >> /log/told`, policy })

  it('H1 H5 H10 run once per rollout, in their places, are logged, and leave nothing', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const hooks = {
      pre: { line: `echo backed up; ${note('pre').line}`, policy: 'Abort' },
      post: note('post', 'Ignore'),
    }
    await release(scene, '1', hooks)
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('runs pre hook (Abort): sh -c ')
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2', hooks)
    const made = await tallyman.run('apply')
    expectCode(made, 0)
    expect(made.stderr).to.include('output: backed up')
    await release(scene, '2', hooks, { replicas: 2 })
    expectCode(await tallyman.run('apply'), 0)
    expect((await told(scene)).filter(line => line !== 'start 2')).to.deep.equal([
      ...['pre 1', 'start 1', 'post 1'],
      ...['pre 2', 'stop 1', 'post 2'],
    ])
    expect(await services(scene)).to.deep.equal(['shop'])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G13 H6 tells in the words of the Swarm why a hook could not be started, stops one that takes too long, and keeps what that wrote', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const [shop] = [application(scene, 'shop', '1', 'RollingUpdate', { pre: note('pre') }, { cmd })]
    const text = JSON.stringify(shop).replace('"command":["sh","-c"]', '"command":["/nope"]')
    await commit(scene, [JSON.parse(text)])
    const refused = await tallyman.run('apply', '--output', 'json')
    expectCode(refused, 1)
    expect(documentOf(refused).error).to.deep.include({ code: 'job-failed' })
    expect(refused.stdout).to.include('/nope: no such file or directory')
    expect(await services(scene)).to.deep.equal([])

    // What it writes stands nowhere in its command. On a busy machine, a task needs seconds until it writes.
    const line = 'trap "" TERM; echo at $((40 + 2)); sleep 1000000 & wait $!; wait'
    await release(scene, '1', { pre: { line, policy: 'Abort' } }, { timeoutSeconds: 30 })
    const stopped = await tallyman.run('apply', '--output', 'json')
    expectCode(stopped, 1)
    expect(documentOf(stopped).error).to.deep.include({ code: 'job-timeout' })
    expect(await shownLast(scene)).to.include('at 42')
    expect(await services(scene)).to.deep.equal([])
  })

  it('H4 H22 fails a hook whose service somebody removes, and runs it again on a word, once the first one has ended', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await release(scene, '1', {})
    expectCode(await tallyman.run('apply'), 0)
    const noted = (word: string) => `echo ${word} >> /log/told`
    // It may go on after it was told to stop, for as long as Swarms let it.
    const line = `trap "" TERM; ${noted('begins')}; for i in 1 2 3 4; do sleep 1; done; ${noted('ends')}`
    await release(scene, '2', { pre: { line, policy: 'Abort' } })
    const running = tallyman.run('apply', '--output', 'json')
    await waitUntil('it runs', async () => (await told(scene)).includes('begins'))
    const hook = (await services(scene)).find(name => name.startsWith('shop_pre_'))
    await engineCall(machine.dockerSocket, 'DELETE', `/services/${scene.environment}_${hook}`)
    const failed = await running
    expectCode(failed, 1)
    expect([documentOf(failed).outcome, documentOf(failed).error?.code]).to.deep.equal([
      'rolled-back',
      'job-failed',
    ])
    expectCode(await tallyman.run('apply', '--retry'), 0)
    expect(await told(scene)).to.deep.equal([
      ...['start 1', 'begins', 'ends'],
      ...['begins', 'ends', 'stop 1', 'start 2'],
    ])
  })

  it('H10 H20 runs a mid hook while nothing serves, and scales without it', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const more = { type: 'Recreate', replicas: 2 } as const
    const hooks = { pre: note('pre'), mid: note('mid'), post: note('post') }
    await release(scene, '1', hooks, more)
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2', hooks, more)
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('a mid hook runs while nothing serves')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await told(scene)).to.deep.equal([
      ...['pre 1', 'mid 1', 'start 1', 'start 1', 'post 1'],
      ...['pre 2', 'stop 1', 'stop 1', 'mid 2', 'start 2', 'start 2', 'post 2'],
    ])
    await release(scene, '2', hooks, { ...more, replicas: 1 })
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect((await told(scene)).filter(line => line === 'mid 2')).to.have.lengthOf(1)
    expect(await services(scene)).to.deep.equal(['shop'])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
