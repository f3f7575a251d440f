import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { startCountingEngine } from '../../../support/engine/counting-engine.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import type { PushedImage } from '../../../support/images/images.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'
import { type CreateStep, type Place, type TestSite, testSite } from '../site.ts'

type Pod = { readonly sandbox: string; readonly joins: Place }

/** Creates and starts a sandbox; `joins` places a container into it. */
async function startSandbox(site: TestSite, image: PushedImage, parts: PodParts = {}): Promise<Pod> {
  const { processes = true, ...more } = parts
  const own = processes ? {} : { ownProcesses: true as const }
  const spec = { name: 'sandbox', ...more }
  const { container } = await site.create(image, spec, { role: 'sandbox', ...own })
  await site.run({ do: 'start-container', container })
  return { sandbox: container, joins: { joins: { sandbox: container, processes }, aliases: [] } }
}

type PodParts = Partial<CreateStep['spec']> & { readonly processes?: boolean }

async function startMember(site: TestSite, image: PushedImage, pod: Pod, name: string): Promise<string> {
  const { container } = await site.create(image, { name }, { ...pod.joins, suffix: `.${name}` })
  await site.run({ do: 'start-container', container })
  return container
}

async function observed(site: TestSite): Promise<Readonly<Record<string, LiveContainer>>> {
  const { containers } = await site.engine.observe(site.provenance, site.signal)
  return Object.fromEntries(containers.map(one => [one.container, one]))
}

const namespaces = 'for one in net ipc pid; do readlink /proc/self/ns/$one; done'
const says = { cmd: ['sh', '-c', namespaces] }
const saysAndStays = { cmd: ['sh', '-c', `${namespaces}; trap "exit 0" TERM; sleep 9999 & wait`] }
const serves = [
  'sh',
  '-c',
  'mkdir /www; echo hello > /www/x; trap "exit 0" TERM; httpd -p 8000 -h /www; sleep 9999 & wait',
]

describe('namespaces of sandboxes on a real engine', () => {
  const it = sideBySide()

  it('C50 lets two members share network, IPC and processes', async () => {
    await using site = await testSite()
    const image = await site.push(says)
    const pod = await startSandbox(site, await site.push(saysAndStays))
    const a = await site.outputOf(image, { name: 'a' }, { ...pod.joins, suffix: '.a' })
    const b = await site.outputOf(image, { name: 'b' }, { ...pod.joins, suffix: '.b' })
    expect(a).to.match(/^net:\[\d+\]\nipc:\[\d+\]\npid:\[\d+\]\n$/)
    expect([a, b]).to.deep.equal([await site.log(pod.sandbox), await site.log(pod.sandbox)])
  })

  it('C50 keeps processes apart where that is asked for', async () => {
    await using site = await testSite()
    const pod = await startSandbox(site, await site.push(saysAndStays), { processes: false })
    const member = await site.outputOf(await site.push(says), { name: 'a' }, { ...pod.joins, suffix: '.a' })
    const [net, ipc, pid] = member.split('\n')
    const [netOfAll, ipcOfAll, pidOfSandbox] = (await site.log(pod.sandbox)).split('\n')
    expect([net, ipc]).to.deep.equal([netOfAll, ipcOfAll])
    expect(pid).not.to.equal(pidOfSandbox)
  })

  it('C50 reaches one member from another on the loopback', async () => {
    await using site = await testSite()
    const pod = await startSandbox(site, await site.push())
    await startMember(site, await site.push({ cmd: serves }), pod, 'web')
    const cmd = ['sh', '-c', 'until wget -qO- http://127.0.0.1:8000/x; do :; done']
    const output = await site.outputOf(
      await site.push({ cmd }),
      { name: 'client' },
      { ...pod.joins, suffix: '.client' },
    )
    expect(output.endsWith('hello\n')).to.equal(true)
  })
})

forEachEngine('sandboxes', engine => {
  const it = sideBySide()

  it('C50 says in the words of the engine what a member cannot have of its own', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const pod = await startSandbox(site, image)
    const web = await site.create(image, {}, { ...pod.joins, suffix: '.web' })
    await site.run({ do: 'remove-container', container: web.container })
    const refused = [
      [{ hostname: 'web' }, 'hostname and the network mode'],
      [{ ports: [{ target: 80, protocol: 'tcp' }] }, 'port publishing and the container type network mode'],
      [{ dns: ['10.0.0.53'] }, 'dns and the network mode'],
      [{ extraHosts: ['db:10.0.0.5'] }, 'custom host-to-IP mapping and the network mode'],
    ] as const
    // Each waits for a second, in which an engine that goes down would be gone.
    const failures = await Promise.all(
      refused.map(([more]) => site.fails({ ...web, spec: { ...web.spec, ...more } })),
    )
    expect(failures.map(({ message }) => message)).to.deep.equal(
      refused.map(([, words]) => `local: ${web.container}: conflicting options: ${words}`),
    )
  })

  it('C50 shares an ephemeral volume within the instance, and removes it with the sandbox', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const mounts = (path: string) => [{ kind: 'ephemeral', path, name: 'cache' }] as const
    const pod = await startSandbox(site, image, { mounts: mounts('/volumes/cache') })
    await site.outputOf(
      await site.push({ cmd: ['sh', '-c', 'echo shared > /a/file'] }),
      { name: 'a', mounts: mounts('/a') },
      { ...pod.joins, suffix: '.a' },
    )
    const output = await site.outputOf(
      await site.push({ cmd: ['cat', '/b/deep/file'] }),
      { name: 'b', mounts: mounts('/b/deep') },
      { ...pod.joins, suffix: '.b' },
    )
    expect(output).to.equal('shared\n')
    const volumes = async () => (await site.engine.resources(site.provenance, site.signal)).volumes
    expect(await volumes()).to.deep.equal([`${pod.sandbox}.cache`])
    await site.run({ do: 'remove-container', container: pod.sandbox })
    expect(await volumes(), 'a volume in use stays').to.deep.equal([`${pod.sandbox}.cache`])
    for (const name of ['a', 'b'])
      await site.run({ do: 'remove-container', container: `${pod.sandbox}.${name}` })
    await site.run({ do: 'remove-container', container: pod.sandbox })
    expect(await volumes(), 'and goes when that is done again').to.deep.equal([])
  })

  it('A48 removes ephemeral volumes with the last container if somebody removed the sandbox, and sees what is left', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const mounts = [
      { kind: 'ephemeral', path: '/cache', name: 'cache' },
      { kind: 'ephemeral', path: '/own' },
    ] as const
    const pod = await startSandbox(site, image, { mounts })
    const { container } = await site.create(image, { name: 'a', mounts }, { ...pod.joins, suffix: '.a' })
    const seen = () => site.engine.resources(site.provenance, site.signal)
    expect((await seen()).volumes).to.have.length(3)
    await engineCall(site.socket, 'DELETE', `/containers/${pod.sandbox}?force=1`)
    const { leftOver = [] } = await seen()
    expect(leftOver, 'the one of the sandbox alone').to.have.length(1)
    for (const volume of [...leftOver.map(({ name }) => name), `${pod.sandbox}.cache`])
      await site.run({ do: 'remove-volume', volume })
    expect((await seen()).volumes, 'one in use stays').to.include(`${pod.sandbox}.cache`)
    await site.run({ do: 'remove-container', container })
    expect((await seen()).volumes).to.deep.equal([])
  })

  it('C50 leaves volumes that are not of the instance, or not ours', async () => {
    await using site = await testSite(engine)
    const { environment } = site.provenance
    const pod = await startSandbox(site, await site.push())
    const ours = `x.${pod.sandbox}.data`
    const foreign = `${pod.sandbox}.data`
    await site.run({ do: 'create-volume', volume: { name: ours, application: 'shop' } })
    await site.foreign('/volumes/create', { Name: foreign, Labels: { 'tallyman.environment': environment } })
    await site.run({ do: 'remove-container', container: pod.sandbox })
    expect(await site.ask(`/volumes/${ours}`)).to.include({ Name: ours })
    expect(await site.ask(`/volumes/${foreign}`)).to.include({ Name: foreign })
  })

  it('C50 ends a member at once that handles no signal, unless its processes are its own', async () => {
    const begins = ['sh', '-c', 'echo begun; sleep 9999']
    const endOf = async (processes: boolean) => {
      await using site = await testSite(engine)
      const pod = await startSandbox(site, await site.push(), { processes })
      const member = await startMember(site, await site.push({ cmd: begins }), pod, 'a')
      // Before that, the signal may reach what begins the program in its place.
      await waitUntil('the program runs', async () => (await site.log(member)).includes('begun'))
      await engineCall(site.socket, 'POST', `/containers/${member}/stop?t=1`)
      return (await site.ask(`/containers/${member}/json`))['State']
    }
    const [shared, own] = await Promise.all([true, false].map(endOf))
    expect(shared, 'by the signal that asks it to').to.include({ ExitCode: 143 })
    expect(own, 'by the one that nobody can handle').to.include({ ExitCode: 137 })
  })

  it('C50 shows which members a restart of their sandbox cut off', async () => {
    await using site = await testSite(engine)
    const image = await site.push()
    const pod = await startSandbox(site, image, { processes: false })
    await startMember(site, image, pod, 'web')
    const worker = await startMember(site, image, pod, 'worker')
    expect((await observed(site))['web']).not.to.have.property('isCutOff')
    await site.run(
      { do: 'restart-container', container: pod.sandbox },
      { do: 'restart-container', container: worker },
    )
    const { sandbox, web, worker: restarted } = await observed(site)
    expect(web).to.include({ state: 'running', isCutOff: true, role: 'app' })
    expect(restarted).not.to.have.property('isCutOff')
    expect(sandbox).to.include({ role: 'sandbox' }).and.not.to.have.property('isCutOff')
  })

  it('A44 shows what the health check of an unhealthy sandbox said, and since when its members run', async () => {
    await using site = await testSite(engine)
    const line =
      'echo "restart web 1700000000 liveness: no answer for $PASSWORD"; echo; echo "web: readiness probe fails: 503"'
    const healthcheck = {
      kind: 'command',
      test: ['CMD-SHELL', `${line}; exit 1`],
      intervalMs: 100,
      retries: 1,
    } as const
    const pod = await startSandbox(site, await site.push(), { healthcheck, env: { PASSWORD: 'hunter22' } })
    const member = await startMember(site, await site.push(), pod, 'web')
    const { sandbox, web } = await waitUntil('it is unhealthy', async () => {
      const now = await observed(site)
      return now['sandbox']?.health === 'unhealthy' ? now : undefined
    })
    expect(sandbox?.checkOutput).to.equal(
      'restart web 1700000000 liveness: no answer for [REDACTED]\nweb: readiness probe fails: 503',
    )
    const { StartedAt } = Object((await site.ask(`/containers/${member}/json`))['State'])
    expect(web)
      .to.include({ startedAtMs: Date.parse(StartedAt) })
      .and.not.to.have.property('checkOutput')
  })

  it('A44 fails the health gate at once when a probe gave a container up, and says which', async () => {
    await using site = await testSite(engine)
    const line =
      'echo "web: startup probe fails: refused"; echo "restart web 1700000000 startup: refused"; exit 1'
    const healthcheck = {
      kind: 'command',
      test: ['CMD-SHELL', line],
      intervalMs: 100,
      startPeriodMs: 600_000,
    } as const
    const { sandbox: container } = await startSandbox(site, await site.push(), { healthcheck })
    expect(await site.fails({ do: 'await-healthy', container, healthyMs: 0, timeoutMs: 60_000 })).to.include({
      code: 'unhealthy',
      message: `local: ${container}: its health check fails: web: startup probe fails: refused`,
    })
  })

  it('A44 restarts a container with its own grace, and says when it is gone', async () => {
    await using site = await testSite(engine)
    const image = await site.push({
      cmd: ['sh', '-c', 'trap "echo bye; exit 0" TERM; echo up; sleep 9999 & wait'],
    })
    const { container } = await site.create(image)
    await site.run(
      { do: 'start-container', container },
      { do: 'await-healthy', container, healthyMs: 0, timeoutMs: 10_000 },
    )
    await waitUntil('it is up', async () => ((await site.log(container)) === 'up\n' ? true : undefined))
    await site.run({ do: 'restart-container', container })
    await waitUntil(
      'it is up again',
      async () => (await site.log(container)) === 'up\nbye\nup\n' || undefined,
    )
    await site.run({ do: 'remove-container', container })
    expect((await site.fails({ do: 'restart-container', container })).code).to.equal('container-missing')
  })

  it('G2 looks closer at what is new once, and then at nothing but members with processes of their own', async () => {
    await using site = await testSite(engine)
    await using counting = await startCountingEngine(site.socket)
    const { observe } = connect(
      { name: 'local', endpoint: `unix://${counting.socket}` },
      async () => undefined,
    )
    const inspected = async () => {
      counting.forgetCalls()
      await observe(site.provenance, site.signal)
      return counting.calls.filter(call => call !== 'GET /version' && call !== 'GET /containers/json').length
    }
    const image = await site.push()
    const pod = await startSandbox(site, image)
    await startMember(site, image, pod, 'web')
    expect([await inspected(), await inspected()]).to.deep.equal([2, 0])
    await site.run({ do: 'remove-container', container: pod.sandbox })
    const apart = await startSandbox(site, image, { processes: false })
    await startMember(site, image, apart, 'worker')
    await site.create(image, { name: 'job' }, { role: 'hook', suffix: '.pre' })
    expect(await inspected()).to.equal(2)
  })
})
