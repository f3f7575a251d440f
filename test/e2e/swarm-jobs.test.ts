import { expect } from 'chai'
import { application, commit, type Stage, type Strategy } from '../scenes/application-with-hooks.ts'
import { documentOf, expectCode } from '../scenes/plan-document.ts'
import { createScene, type Scene } from '../scenes/scene.ts'
import { engineCall, engineGet } from '../support/engine-call.ts'
import { execIn } from '../support/exec-in.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { servicesOn } from '../support/swarm.ts'
import { swarmApart } from '../support/swarm-nodes.ts'
import type { StatusDocument } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'

/** What runs notes itself, and ends as it is told. */
const cmd =
  'trap "echo stop $VERSION >> /log/told; exit 0" TERM; echo start $VERSION >> /log/told; sleep 1000000 & wait $!'

type Hooks = Partial<Record<Stage, { readonly line: string; readonly policy: string }>>

describe('hooks and phases on a Docker Swarm', function () {
  this.timeout(300_000)

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

  it('H4 H7 touches nothing when a pre hook fails, tells why, and goes on with a correction', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await release(scene, '1', { pre: note('pre') })
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2', { pre: { line: 'echo no room; exit 3', policy: 'Abort' } })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).outcome).to.equal('rolled-back')
    expect(documentOf(failed).error).to.deep.include({ code: 'job-failed' })
    expect(failed.stdout).to.include('failed with exit code 3: no room')
    expect(await shownLast(scene))
      .to.include('exit code 3')
      .and.to.include('no room')
    expect(await told(scene)).to.deep.equal(['pre 1', 'start 1'])
    expect(await services(scene)).to.deep.equal(['shop'])

    const again = await tallyman.run('apply')
    expectCode(again, 1)
    expect(again.stdout + again.stderr).to.include('(quarantined)')
    await release(scene, '2', { pre: note('pre') })
    expectCode(await tallyman.run('apply'), 0)
    expect(await told(scene)).to.deep.equal(['pre 1', 'start 1', 'pre 2', 'stop 1', 'start 2'])
  })

  it('H4 H7 retries a hook until it succeeds, and goes on when one may fail', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const line = 'echo try >> /log/told; [ $(grep -c try /log/told) -ge 3 ]'
    await release(scene, '1', { pre: { line, policy: 'Retry' }, post: { line: 'exit 4', policy: 'Ignore' } })
    const made = await tallyman.run('apply')
    expectCode(made, 0)
    expect(made.stderr).to.include('try 2 failed with exit code 1').and.to.include('failed with exit code 4')
    expect(await told(scene)).to.deep.equal(['try', 'try', 'try', 'start 1'])
    expect(await services(scene)).to.deep.equal(['shop'])
  })

  it('G13 tells in the words of the Swarm why a hook could not be started', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const [shop] = [application(scene, 'shop', '1', 'RollingUpdate', { pre: note('pre') }, { cmd })]
    const text = JSON.stringify(shop).replace('"command":["sh","-c"]', '"command":["/nope"]')
    await commit(scene, [JSON.parse(text)])
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.deep.include({ code: 'job-failed' })
    expect(failed.stdout).to.include('/nope: no such file or directory')
    expect(await services(scene)).to.deep.equal([])
  })

  it('H6 stops a hook that takes too long, and keeps what it wrote', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const line = 'trap "" TERM; echo at it; sleep 1000000 & wait $!; wait'
    await release(scene, '1', { pre: { line, policy: 'Abort' } }, { timeoutSeconds: 3 })
    const failed = await tallyman.run('apply', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.deep.include({ code: 'job-timeout' })
    expect(await shownLast(scene)).to.include('at it')
    expect(await services(scene)).to.deep.equal([])
  })

  it('H22 goes on with a hook that ran while the process was killed, and does not run it again', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await release(scene, '1', {})
    expectCode(await tallyman.run('apply'), 0)
    const line = `${note('pre').line}; until [ -e /log/go ]; do sleep 0.1; done`
    await release(scene, '2', { pre: { line, policy: 'Abort' } })
    const killed = tallyman.start('apply')
    await waitUntil('it runs', async () => (await told(scene)).includes('pre 2'))
    killed.signal('SIGKILL')
    await killed.ended
    const finished = tallyman.run('apply', '--output', 'json')
    await execIn(machine.dockerSocket, await runningOf(scene), 'touch /log/go')
    const done = await finished
    expectCode(done, 0)
    expect(documentOf(done).outcome).to.equal('applied')
    expect(await told(scene)).to.deep.equal(['start 1', 'pre 2', 'stop 1', 'start 2'])
    expect(await services(scene)).to.deep.equal(['shop'])
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

  it('H6 D18 gives up the hook of a release that a commit corrected meanwhile', async () => {
    await using scene = await sceneOf()
    await release(scene, '1', {})
    const daemon = await scene.tallyman.daemon()
    await daemon.until(
      'it runs',
      ({ applications: [shop], sync }) => shop?.running === 1 && sync === 'Synced',
    )
    const line = `trap "exit 1" TERM; ${note('pre').line}; sleep 1000000 & wait $!`
    await release(scene, '2', { pre: { line, policy: 'Abort' } })
    await waitUntil('it runs', async () => (await told(scene)).includes('pre 2'))
    await release(scene, '3', { pre: note('pre') })
    const isDone = (seen: StatusDocument) => seen.sync === 'Synced' && seen.running === undefined
    await daemon.until('the correction runs', isDone)
    expect((await told(scene)).filter(line => line.startsWith('start'))).to.deep.equal(['start 1', 'start 3'])
    expect(await services(scene)).to.deep.equal(['shop'])
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

  it('H29 leaves all stopped when a mid hook fails, and starts what corrects it', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const more = { type: 'Recreate' } as const
    await release(scene, '1', {}, more)
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2', { mid: { line: 'echo half; exit 3', policy: 'Abort' } }, more)
    const failed = await tallyman.run('apply', '--yes', '--output', 'json')
    expectCode(failed, 1)
    expect(documentOf(failed).error).to.deep.include({ code: 'not-restored' })
    expect(failed.stdout).to.include('failed with exit code 3: half')
    const status = await tallyman.run('status')
    expect(status.stdout).to.match(/Degraded .* 0\/1/)
    expect(await services(scene)).to.deep.equal(['shop'])
    await release(scene, '3', { mid: note('mid') }, more)
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await told(scene)).to.deep.equal(['start 1', 'stop 1', 'mid 3', 'start 3'])
  })

  it('A40 stops all services of an application before any starts anew, where its upgrade path says so', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    const both = (version: string) => {
      const { services } = application(scene, 'shop', version, 'RollingUpdate', {}, { cmd })
      const [one] = services
      if (one === undefined) throw new Error('there is one')
      const { strategy: _, ...web } = one
      const ways = [{ 'version-regexp': '.', method: 'stop-and-restart' }]
      return { name: 'shop', version, services: [web, { ...web, name: 'other' }], 'upgrade-from': ways }
    }
    await commit(scene, [both('1')])
    expectCode(await tallyman.run('apply'), 0)
    await commit(scene, [both('2')])
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('all services of the application stop before any starts anew')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    expect(await told(scene)).to.deep.equal([
      ...['start 1', 'start 1', 'stop 1', 'stop 1', 'start 2', 'start 2'],
    ])
    expect(await services(scene)).to.deep.equal(['shop', 'shop_other'])
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})
