import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { expect } from 'chai'
import { documentOf, expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { ofScene, onlyOne, release, servicesOfSwarm } from '../../scenes/swarm-services.ts'
import { engineCall } from '../../support/engine/engine-call.ts'
import { runningTasks, type SwarmService, swarmForTests } from '../../support/engine/swarm.ts'
import { fileIn } from '../../support/files/file-in.ts'
import { startRegistry } from '../../support/images/registry.ts'
import { testMachine } from '../../support/suite/env.ts'
import { needPrograms } from '../../support/suite/programs.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

/** The kernel of this machine may have no IPVS, which virtual addresses and the routing mesh need. */
const withoutIpvs = { endpointMode: 'dnsrr', publishMode: 'host' }

const endsOnTerm = 'trap "exit 0" TERM; sleep 1000000 & wait $!'

describe('a Docker Swarm as a site', () => {
  const it = sideBySide(4)
  const engine = swarmForTests()

  const sceneOf = (more: object = {}, config: object = {}) =>
    createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      config: {
        ...config,
        sites: [
          { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm', ...withoutIpvs, ...more },
        ],
      },
    })

  servicesOfSwarm(it, config => sceneOf({}, config))

  it('G10 has volumes made on its nodes with their options, which say whose they are', async () => {
    await using scene = await sceneOf()
    await scene.push('web', '1')
    const volume = `replicas: 1
    volumes: [{name: data, persistent-volume: {driver_opts: {type: tmpfs, device: tmpfs, o: size=1m}}}]`
    await release(scene, '1', volume, '        mounts: [{volume-name: data, mount-path: /data}]\n')
    expectCode(await scene.tallyman.run('apply'), 0)
    const { body } = await engineCall(engine.socket, 'GET', '/volumes')
    type Volume = { readonly Name: string; readonly Options: object; readonly Labels: object }
    const { Volumes }: { readonly Volumes: readonly Volume[] } = JSON.parse(body.toString())
    const own = Volumes.find(({ Name }) => Name === `${scene.environment}.shop.data`)
    expect(own?.Options).to.deep.equal({ type: 'tmpfs', device: 'tmpfs', o: 'size=1m' })
    expect(own?.Labels).to.include({
      ...{ 'tallyman.environment': scene.environment, 'tallyman.application': 'shop' },
    })
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('G5 G13 tells why there is no node for a task, scales back or puts back what ran, and makes a service anew for one on each node', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    for (const tag of ['1', '2']) await scene.push('web', tag, { env: { V: tag } })
    const within = (seconds: number, how: string) =>
      `${how}
    strategy: {rollingUpdate: {timeoutSeconds: ${seconds}}}
    network: {outbound-access: {allow-all: true}}`
    const port = '        ports: ["18080:80"]\n'
    await release(scene, '1', within(60, 'replicas: 1'), port)
    expectCode(await tallyman.run('apply'), 0)
    const few = await onlyOne(scene)
    const before = await runningTasks(engine.socket, few)
    const isRefused = async () => {
      const failed = await tallyman.run('apply', '--output', 'json')
      expectCode(failed, 1)
      expect(documentOf(failed)).to.include({ outcome: 'rolled-back' })
      expect(documentOf(failed).error).to.include({ code: 'task-unplaced' })
      return failed.stdout
    }
    await release(scene, '1', within(4, 'replicas: 2'), port)
    await isRefused()
    const restored = await onlyOne(scene)
    expect(restored.Spec).to.deep.equal(few.Spec)
    expect(await runningTasks(engine.socket, restored), 'they ran all the time').to.have.members(before)

    await release(scene, '2', within(4, 'replicas: 1'), '        mem_reservation: 9000g\n')
    expect(await isRefused()).to.include('insufficient resources')
    const [, pass = ''] = /^#(\d+)/.exec((await tallyman.run('log')).stdout) ?? []
    expect((await tallyman.run('show', pass)).stdout, 'noted while it waited').to.match(
      /^ .*await-service \S+ {2}no suitable node \(insufficient resources on 1 node\)$/m,
    )
    expect((await onlyOne(scene)).Spec.Labels['tallyman.version']).to.equal('1')

    await release(scene, '2', within(200, 'mode: global'), '        mem_reservation: 8m\n')
    const planned = await tallyman.run('plan')
    expect(planned.stdout).to.include('the service is made anew, and a failure is not undone')
    expectCode(await tallyman.run('apply', '--yes'), 0)
    const anew = await onlyOne(scene)
    expect(anew.Spec.Mode).to.deep.equal({ Global: {} })
    expect(anew.Spec.Labels['tallyman.version']).to.equal('2')
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('D2 G18 is seen at once by the events of what was scaled, changed or removed by hand, and is as it was soon', async () => {
    await needPrograms(['docker'])
    // No look at the repository comes in between.
    await using scene = await sceneOf({}, { poll: '1h' })
    const { tallyman, environment } = scene
    for (const tag of ['1', '2']) await scene.push('web', tag)
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    const own = await onlyOne(scene)
    const name = `${environment}_shop_web`
    const docker = (...args: readonly string[]) =>
      promisify(execFile)('docker', ['--host', `unix://${engine.socket}`, 'service', ...args])
    await docker('scale', '--detach', `${name}=1`)
    expect((await tallyman.run('plan')).stdout).to.include('~ web  scaled from 1 task to 2, because')

    const daemon = await tallyman.daemon()
    const isRepaired = () =>
      daemon.until('it is repaired', seen => seen.sync === 'Synced' && seen.running === undefined)
    await isRepaired()
    expect(unrecorded(await onlyOne(scene))).to.deep.equal(unrecorded(own))
    const byHand = [
      ['scale', '--detach', `${name}=3`],
      ['update', '--detach', '--no-resolve-image', '--image', `${scene.prefix}/web:2`, name],
      ['rm', name],
    ] as const
    for (const change of byHand) {
      const begunMs = Date.now()
      await docker(...change)
      await waitUntil(`the event of "${change[0]}" has begun a pass`, async () => {
        const passes: readonly { readonly trigger: string; readonly startedAtMs: number }[] = JSON.parse(
          (await tallyman.run('log', '--output', 'json')).stdout,
        )
        return passes.some(one => one.trigger === 'engine-event' && one.startedAtMs >= begunMs)
      })
      await waitUntil('it is as it was', async () => {
        const [one] = await ofScene(scene)
        return one !== undefined && isDeepStrictEqual(unrecorded(one), unrecorded(own))
      })
      await isRepaired()
    }
    await daemon.until('all run', ({ applications: [shop] }) => shop?.running === 2)
  })

  it('G13 tells in the plan what no node has, as a manager tells of labels, platforms and drivers', async () => {
    await using scene = await sceneOf({}, { policy: { volumeDrivers: ['no-such-driver'] } })
    await scene.push('web', '1')
    const planned = async (parts: string) => {
      const mounts = '        mounts: [{volume-name: data, mount-path: /data}]\n'
      await release(scene, '1', parts, mounts)
      const { warnings } = documentOf(await scene.tallyman.run('plan', '--output', 'json'))
      return warnings.filter(({ code }) => code === 'nodes-lacking').map(({ message }) => message)
    }
    const volume = (text: string) => `volumes: [{name: data, persistent-volume: ${text}}]`
    expect(
      await planned(`${volume('{driver: no-such-driver}')}
    placement: {match-host-labels: "shelf = 3"}`),
    ).to.deep.equal([
      'shop/web: no node of cluster has the label "shelf"',
      `shop/web: no node of cluster has the driver "no-such-driver" of its volume ${scene.environment}.shop.data`,
    ])
    expect(await planned(volume('{}')), 'the own driver').to.deep.equal([])
  })

  it('H22 D18 finishes an update after the process that began it was killed, without beginning it anew', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await Promise.all(['1', '2'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    await release(scene, '1')
    expectCode(await tallyman.run('apply'), 0)
    await release(scene, '2')
    const killed = tallyman.start('apply')
    const begun = await waitUntil('it has its new specification', async () => {
      const one = await onlyOne(scene)
      return one.Spec.Labels['tallyman.version'] === '2' ? one : undefined
    })
    killed.signal('SIGKILL')
    await killed.ended
    const finished = await tallyman.run('apply', '--output', 'json')
    expectCode(finished, 0)
    expect(documentOf(finished).outcome).to.equal('applied')
    const now = await onlyOne(scene)
    expect(now.Spec).to.deep.equal(begun.Spec)
    expect(await runningTasks(engine.socket, now)).to.have.lengthOf(2)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('C52 G16 tells what its tasks wrote, one after the other and without secrets', async () => {
    await using scene = await sceneOf()
    const { tallyman } = scene
    await scene.push('web', '1', {
      cmd: ['sh', '-c', `echo "hello from $HOSTNAME"; echo "$MEANT" | tr l L; echo oops >&2; ${endsOnTerm}`],
    })
    // A Swarm takes variables for templates of its own, which this one would not be.
    await release(scene, '1', 'replicas: 2', '        env: {MEANT: "literally {{ .Nothing }} {{{"}\n')
    expectCode(await tallyman.run('apply'), 0)
    const told = await tallyman.run('logs', 'shop')
    expectCode(told, 0)
    expect(told.stdout.match(/LiteraLLy \{\{ \.Nothing \}\} \{\{\{$/gm), told.stdout).to.have.lengthOf(2)
    expect(told.stdout.match(/hello from /g)).to.have.lengthOf(2)
    expect(told.stdout.match(/oops/g)).to.have.lengthOf(2)
    const last = await tallyman.run('logs', 'shop/web/web', '--tail', '1')
    expect(last.stdout.trim().split('\n'), 'one of each').to.have.lengthOf(2)
  })

  it('G21 hands the login of a registry on to the nodes, which pull with it', async () => {
    const login = { username: 'ada', password: 'pa55word' }
    await using registry = await startRegistry({ auth: { scheme: 'basic', ...login } })
    using passwordFile = fileIn('password', login.password)
    const site = { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm', ...withoutIpvs }
    const registries = [{ host: registry.host, username: login.username, passwordFile: passwordFile.path }]
    await using scene = await createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      registry,
      config: { sites: [site], registries },
    })
    await scene.push('web', '1')
    await release(scene, '1', 'replicas: 1')
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await runningTasks(engine.socket, await onlyOne(scene))).to.have.lengthOf(1)
  })

  it('G21 hands on another login once there is one, without a plan and without another task', async () => {
    using passwordFile = fileIn('password', 'first')
    const site = { name: 'cluster', endpoint: `unix://${engine.socket}`, kind: 'swarm', ...withoutIpvs }
    const { registry } = await testMachine()
    const registries = [{ host: registry.host, username: 'ada', passwordFile: passwordFile.path }]
    await using scene = await createScene({
      commands: 'here',
      dockerSocket: engine.socket,
      config: { sites: [site], registries },
    })
    const { tallyman } = scene
    await scene.push('web', '1')
    await release(scene, '1', 'replicas: 1')
    expectCode(await tallyman.run('apply'), 0)
    const before = await onlyOne(scene)
    const tasks = await runningTasks(engine.socket, before)
    expectCode(await tallyman.run('apply'), 0)
    expect((await onlyOne(scene)).Version, 'it is the same').to.deep.equal(before.Version)

    await writeFile(passwordFile.path, 'second')
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
    expect((await onlyOne(scene)).Version, 'a plan changes nothing').to.deep.equal(before.Version)
    expectCode(await tallyman.run('apply'), 0)
    const after = await onlyOne(scene)
    const login = 'tallyman.login'
    expect(after.Spec.Labels[login])
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.to.equal(before.Spec.Labels[login])
    expect({ ...after.Spec, Labels: {} }).to.deep.equal({ ...before.Spec, Labels: {} })
    expect(await runningTasks(engine.socket, after)).to.deep.equal(tasks)
    expectCode(await tallyman.run('plan', '--detailed-exitcode'), 0)
  })
})

/** What a service is to be, but for the count of what was made, which goes on with each repair. */
function unrecorded({ Spec }: SwarmService): SwarmService['Spec'] {
  const { 'tallyman.record': _, ...labels } = Spec.Labels
  return { ...Spec, Labels: labels }
}
