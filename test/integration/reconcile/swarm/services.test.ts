import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { stringify } from 'yaml'
import { documentOf, expectCode, has } from '../../../scenes/plan-document.ts'
import { simulatedEngine } from '../../../support/simulated/engine.ts'
import type { Spec } from '../../../support/simulated/swarm/swarm.ts'
import { createSwarmScene, type Scene } from '../scene.ts'

/** Commits `shop` in this version: a service of each name, all alike. */
function release(
  { commit, prefix }: Scene,
  tag: string,
  names: readonly string[] = ['web'],
  parts: object = {},
  container: object = {},
) {
  const services = names.map(name => ({
    ...{ name, replicas: 1, ...parts },
    containers: [{ name: 'app', image: `${prefix}/web:${tag}`, ...container }],
  }))
  return commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': stringify({ name: 'shop', version: tag, services }),
  })
}

describe('services of a Swarm', () => {
  it('G15 have one config for the same file, also where two of them are made at the same time', async () => {
    await using scene = await createSwarmScene()
    scene.push('web', '1')
    const volumes = [{ name: 'conf', 'config-map': { items: [{ name: 'a.conf', data: 'the same' }] } }]
    const mounts = [{ 'volume-name': 'conf', files: [{ name: 'a.conf', 'mount-path': '/etc/a.conf' }] }]
    await release(scene, '1', ['api', 'web'], { volumes }, { mounts })
    expectCode(await scene.tallyman.run('apply'), 0)
    const configs = scene.swarm.configs.list({}).filter(({ Spec }) => Spec.Labels?.['tallyman.service'])
    expect(configs).to.have.lengthOf(1)
    expect(scene.swarm.list({})).to.have.lengthOf(2)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G1 D18 G5 are tried again by themselves once their nodes can pull what an update needs, unless it stops them first', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    const applied = async (maxSurge: number) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge } }
      await release(scene, '1', ['web'], { strategy })
      expectCode(await tallyman.run('apply'), 0)
      await release(scene, '2', ['web'], { strategy })
      const before = swarm.list({})[0]?.Spec.TaskTemplate.ContainerSpec.Image
      const none = { State: 'rejected', Err: 'No such image: web@sha256:2' }
      swarm.fate = ({ TaskTemplate }) =>
        TaskTemplate.ContainerSpec.Image === before ? { State: 'running' } : none
      const failed = documentOf(await tallyman.run('apply', '--output', 'json'))
      expect([failed.outcome, failed.error?.code]).to.deep.equal(['rolled-back', 'pull-failed'])
      expect(swarm.list({})[0]?.Spec.TaskTemplate.ContainerSpec.Image, 'it serves on').to.equal(before)
      swarm.fate = () => ({ State: 'running' })
      const { outcome, error } = documentOf(await tallyman.run('apply', '--output', 'json'))
      return error?.code ?? outcome
    }
    expect(await applied(1)).to.equal('applied')
    expect(await applied(0), 'each attempt would stop what serves').to.equal('quarantined')
  })

  it('D18 G5 are looked at and planned anew where somebody was faster, which bars no release', async () => {
    await using scene = await createSwarmScene()
    const { engine, swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2')
    const message = 'rpc error: code = Unknown desc = update out of sequence'
    engine.faults.set(/POST \/services\/\w+\/update/, { status: 500, message }, 1)
    const [before] = swarm.list({}).map(({ Version }) => Version)
    const overtaken = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect([overtaken.outcome, overtaken.error?.code]).to.deep.equal(['failed', 'service-changed'])
    expect(
      swarm.list({}).map(({ Version }) => Version),
      'nothing was put back',
    ).to.deep.equal([before])
    expectCode(await tallyman.run('apply'), 0)
    expect(swarm.list({}).map(({ Spec }) => Spec.Labels?.['tallyman.version'])).to.deep.equal(['2'])
  })

  it('D18 G5 have what they had after a release that fails, until it is reverted, corrected or tried once more', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    for (const tag of ['1', '2', '3']) scene.push('web', tag)
    const runs = () => swarm.list({}).map(({ Spec }) => Spec.Labels?.['tallyman.version'])
    const outcomeOf = async (...more: readonly string[]) => {
      const { outcome } = documentOf(await tallyman.run('apply', '--output', 'json', ...more))
      return [outcome, ...runs()]
    }
    let bad: string | undefined = '2'
    swarm.fate = ({ Labels }) =>
      Labels?.['tallyman.version'] === bad
        ? { State: 'failed', Err: 'task: non-zero exit (3)' }
        : { State: 'running' }
    await release(scene, '1')
    expect(await outcomeOf()).to.deep.equal(['applied', '1'])
    await release(scene, '2')
    expect(await outcomeOf()).to.deep.equal(['rolled-back', '1'])
    await release(scene, '1')
    expect(await outcomeOf(), 'reverted').to.deep.equal(['in-sync', '1'])
    await release(scene, '2')
    expect(await outcomeOf(), 'the same again').to.deep.equal(['rolled-back', '1'])
    await release(scene, '3')
    expect(await outcomeOf(), 'corrected').to.deep.equal(['applied', '3'])
    bad = '1'
    await release(scene, '1')
    expect(await outcomeOf()).to.deep.equal(['rolled-back', '3'])
    bad = undefined
    expect((await outcomeOf()).at(-1), 'nobody said so').to.equal('3')
    expect(await outcomeOf('--retry'), 'once more').to.deep.equal(['applied', '1'])
  })

  it('G4 D18 are not made anew on a manager that is of another Swarm while the first one is lost', async () => {
    await using other = await simulatedEngine()
    const others = other.beginSwarm()
    await using scene = await createSwarmScene({}, { managers: [other.endpoint] })
    const { engine, swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    const runs = () =>
      [swarm, others].map(one => one.list({}).map(({ Spec }) => Spec.Labels?.['tallyman.version']))
    await release(scene, '1')
    const daemon = await tallyman.daemon()
    await daemon.until('it runs', ({ sync, running }) => sync === 'Synced' && running === undefined)
    await engine.off()
    await daemon.until('it says so', has('swarm-unavailable', 'engine-unreachable'))
    await release(scene, '2')
    expect(runs()).to.deep.equal([['1'], []])
    await engine.on()
    expectCode(await tallyman.run('reconcile'), 0)
    await daemon.until('it goes on', () => runs()[0]?.[0] === '2')
    expect(runs()).to.deep.equal([['2'], []])
  })

  it('H10 H29 stop for a mid hook that runs again, also if they fail since it ran before', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    const old = swarm.list({})[0]?.Spec.TaskTemplate.ContainerSpec.Image
    const mid = { failurePolicy: 'Abort', execNewPod: { containerName: 'app', command: ['migrate'] } }
    await release(scene, '2', ['web'], {
      strategy: { type: 'Recreate', recreate: { mid } },
    })
    /** How many tasks were to run each time that the hook ran. */
    const beside: number[] = []
    let isFit = false
    swarm.fate = ({ Labels, TaskTemplate }) => {
      if (Labels?.['tallyman.role'] === 'hook') {
        beside.push(swarm.tasks({}).filter(({ DesiredState }) => DesiredState === 'running').length)
        return { State: 'complete' }
      }
      const ends = { State: 'failed', Err: 'task: non-zero exit (4)' }
      return isFit || TaskTemplate.ContainerSpec.Image === old ? { State: 'running' } : ends
    }
    const failed = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect([failed.outcome, failed.error?.code]).to.deep.equal(['failed', 'not-restored'])
    isFit = true
    const plan = await tallyman.run('plan', '--retry')
    expect(plan.stdout).to.include('~ web  runs, and stops for the mid hook')
    expectCode(await tallyman.run('apply', '--retry'), 0)
    expect(beside).to.deep.equal([0, 0])
  })

  it('D2 G7 that somebody scaled get only the tasks that they lack, or lose the others, however often their tasks failed before, also if all were started anew by hand', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    scene.push('web', '1')
    await release(scene, '1', ['web'], { replicas: 2 })
    expectCode(await tallyman.run('apply'), 0)
    /** As `docker service update` does it. */
    const byHand = (parts: Partial<Spec>) => {
      const [own] = swarm.list({})
      if (own !== undefined) swarm.update(own.ID, own.Version.Index, { ...own.Spec, ...parts })
    }
    const running = () =>
      swarm.tasks({}).flatMap(({ ID, DesiredState }) => (DesiredState === 'running' ? [ID] : []))
    const scaledFrom = async (replicas: number, words: string) => {
      const before = running()
      byHand({ Mode: { Replicated: { Replicas: replicas } } })
      const { stdout } = await tallyman.run('plan')
      expect(stdout).to.include(`    ~ web  ${words}, because somebody scaled it by hand\n`)
      expect(stdout).to.include('0 to replace').and.to.include('1 to scale')
      expect(documentOf(await tallyman.run('apply', '--output', 'json')).outcome).to.equal('applied')
      const most = Math.min(replicas, 2)
      expect(running()).to.have.lengthOf(2)
      expect(running().slice(0, most), 'none was replaced').to.deep.equal(before.slice(0, most))
    }
    await scaledFrom(1, 'scaled from 1 task to 2')
    const [own] = swarm.list({})
    if (own !== undefined) byHand({ TaskTemplate: { ...own.Spec.TaskTemplate, ForceUpdate: 1 } })
    await scaledFrom(3, 'scaled from 3 tasks to 2')
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D15 D9 get their number of tasks back while they are blocked because a secret is missing', async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-secrets-'))
    const file = join(place.path, 'token')
    await writeFile(file, 'one\n')
    await using scene = await createSwarmScene({ secrets: { directory: place.path } })
    const { swarm, tallyman } = scene
    scene.push('web', '1')
    await release(scene, '1', ['web'], { replicas: 2 }, { env: { TOKEN: { secret: 'token' } } })
    expectCode(await tallyman.run('apply'), 0)
    await rm(file)
    const [own] = swarm.list({})
    if (own !== undefined)
      swarm.update(own.ID, own.Version.Index, { ...own.Spec, Mode: { Replicated: { Replicas: 0 } } })
    const { stdout, stderr } = await tallyman.run('apply')
    expect(stderr).to.include('(secret-missing)')
    expect(stdout).to.include('scaled from 0 tasks to 2, because somebody scaled it by hand')
    expect(swarm.list({})[0]?.Spec.Mode).to.deep.equal({ Replicated: { Replicas: 2 } })
    const again = documentOf(await tallyman.run('plan', '--output', 'json'))
    expect(again.changes).to.deep.equal([])
  })

  it('G13 say what they ask of nodes that no node has, and are made once one has it and somebody says retry', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    scene.push('web', '1')
    const parts = {
      ...{ mode: 'global', replicas: undefined, placement: { 'match-host-labels': 'disk = tape' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { timeoutSeconds: 3 } },
    }
    const words = 'no node has what it asks for: node.labels.disk==tape'
    swarm.fate = () => 'none'
    await release(scene, '1', ['web'], parts)
    const failed = await tallyman.run('apply', '--output', 'json')
    const { error } = documentOf(failed)
    expect([error?.code, error?.message.endsWith(`0 of 1 tasks run after 3 s: ${words}`)]).to.deep.equal([
      ...['task-unplaced', true],
    ])
    expect((await tallyman.run('show', '1')).stdout, 'noted while it waited').to.include(words)
    swarm.fate = () => ({ State: 'running' })
    const later = documentOf(await tallyman.run('apply', '--output', 'json'))
    expect(later.error?.code, 'a node alone is not enough').to.equal('quarantined')
    expectCode(await tallyman.run('apply', '--retry'), 0)
  })

  it('G13 are counted in the status as they run now, of which version and where, while a rollout waits for them', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    await release(scene, '1', ['api', 'web'], { replicas: 2 })
    const daemon = await tallyman.daemon()
    const [before] = (
      await daemon.until(
        'all run',
        ({ applications: [shop], running }) => shop?.running === 4 && running === undefined,
      )
    ).applications
    const nodes = (service: string, running: number) => ({ ...before?.tasks?.[0], service, running })
    expect(before?.tasks).to.deep.equal([nodes('api', 2), nodes('web', 2)])
    const states = ['running', 'starting', 'running', 'starting']
    swarm.fate = () => ({ State: states.pop() ?? 'starting' })
    await release(scene, '2', ['api', 'web'], { replicas: 2 })
    expectCode(await tallyman.run('reconcile'), 0)
    const { applications } = await daemon.until(
      'both are waited for',
      ({ applications: [shop] }) => shop?.tasks?.map(({ running }) => running).join() === '1,1',
    )
    expect(applications[0]).to.deep.include({
      ...{ sync: 'OutOfSync', running: 2, wanted: 4, tasks: [nodes('api', 1), nodes('web', 1)] },
      reason: 'the rollout of version 2 has begun: 1 of 2 tasks of api run; 1 of 2 tasks of web run',
    })
  })

  it('G13 D18 say to which version they go back while a release that failed is undone, or one that somebody takes back', async () => {
    await using scene = await createSwarmScene()
    const { swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    const states = new Map([['1', 'running']])
    swarm.fate = ({ Labels }) => {
      const State = states.get(Labels?.['tallyman.version'] ?? '') ?? 'failed'
      return State === 'failed' ? { State, Err: 'task: non-zero exit (3)' } : { State }
    }
    await release(scene, '1', ['web'], { replicas: 2 })
    const daemon = await tallyman.daemon()
    await daemon.until(
      'it runs',
      ({ applications: [shop], running }) => shop?.running === 2 && running === undefined,
    )
    const rowOnce = async (what: string, reason: string) => {
      const { applications } = await daemon.until(what, ({ applications: [shop] }) => shop?.reason === reason)
      const [{ sync, version, wantedVersion } = {}] = applications
      return [sync, version, wantedVersion]
    }
    states.set('1', 'starting')
    await release(scene, '2', ['web'], { replicas: 2 })
    expectCode(await tallyman.run('reconcile'), 0)
    const goesBack = 'goes back to version 1: 0 of 2 tasks of web run'
    expect(await rowOnce('it is undone', goesBack)).to.deep.equal(['OutOfSync', '1', undefined])
    states.set('1', 'running').set('2', 'starting')
    swarm.startAgain()
    await daemon.until('it runs again', has('quarantined'))
    expectCode(await tallyman.run('retry', 'shop'), 0)
    const begun = 'the rollout of version 2 has begun: 0 of 2 tasks of web run'
    expect(await rowOnce('it has begun', begun)).to.deep.equal(['OutOfSync', '1', '2'])
    states.set('1', 'starting')
    expectCode(await tallyman.run('rollback', 'shop', '--to', '1', '--now', '--message', 'no'), 0)
    expect(await rowOnce('it is taken back', goesBack)).to.deep.equal(['OutOfSync', '1', undefined])
  })

  it('D18 G12 of a first installation go without a question once a commit no longer wants it, and others come', async () => {
    await using scene = await createSwarmScene()
    const { commit, prefix, swarm, tallyman } = scene
    scene.push('web', '1')
    const pending = { State: 'pending', Err: 'no suitable node' }
    swarm.fate = ({ Labels }) =>
      Labels?.['tallyman.application'] === 'lost' ? pending : { State: 'running' }
    const wants = (...names: readonly string[]) => {
      const services = [{ name: 'web', containers: [{ name: 'app', image: `${prefix}/web:1` }] }]
      const files = names.map(name => [`applications/${name}.yaml`, stringify({ name, services })])
      const manifest = { skipConfirmation: true, services: names.map(name => ({ name })) }
      return commit(manifest, names.join(), Object.fromEntries(files))
    }
    await wants('shop', 'lost')
    const daemon = await tallyman.daemon()
    await daemon.until('it waits', ({ running }) => running?.step?.endsWith('lost_web') ?? false)
    const commitOfMore = await wants('shop', 'more')
    expectCode(await tallyman.run('reconcile'), 0)
    const now = await daemon.until('the rest has come', ({ sync, revision, running }) => {
      return sync === 'Synced' && revision?.commit === commitOfMore && running === undefined
    })
    expect(now.applications.map(({ application }) => application)).to.deep.equal(['more', 'shop'])
    expect(swarm.list({}).map(({ Spec }) => Spec.Labels?.['tallyman.application'])).to.have.members([
      ...['more', 'shop'],
    ])
  })

  it('G24 take three calls each to be made or replaced, two to be removed, and few besides, however many they are', async () => {
    await using scene = await createSwarmScene()
    const { engine, swarm, tallyman } = scene
    for (const tag of ['1', '2']) scene.push('web', tag)
    const names = Array.from({ length: 80 }, (_, at) => `s${at}`)
    const commit = (some: readonly string[], dockerTag: string) => {
      const services = some.map(name => ({ name, containers: [{ dockerName: 'web', dockerTag }] }))
      return scene.commit({ skipConfirmation: true, services })
    }
    /** How many calls about single services a command makes. There are fewer others than services. */
    const callsOf = async (...args: readonly string[]) => {
      engine.forgetCalls()
      expectCode(await tallyman.run(...args), 0)
      const single = engine.calls.filter(call => call.includes('/services/'))
      expect(engine.calls.length - single.length).to.be.lessThan(names.length)
      return single.length
    }
    for (const tag of ['1', '2']) {
      await commit(names, tag)
      // Each is looked at before it is changed, and right after.
      expect(await callsOf('apply'), `version ${tag}`).to.equal(3 * names.length)
      const running = swarm.tasks({}).filter(({ DesiredState }) => DesiredState === 'running')
      expect(running).to.have.lengthOf(names.length)
      expect(await callsOf('plan', '--detailed-exitcode')).to.equal(0)
    }
    await commit(names.slice(0, 1), '2')
    expect(await callsOf('apply', '--yes')).to.equal(2 * (names.length - 1))
    expect(swarm.list({})).to.have.lengthOf(1)
  })
})
