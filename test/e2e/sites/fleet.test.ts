import { join } from 'node:path'
import { expect } from 'chai'
import type { DeploymentStatus } from '../../../lib/reconcile/status/deployment/deployment-status.ts'
import { containersOf, createScene, type Scene } from '../../scenes/scene.ts'
import type { Daemon } from '../../support/command/tallyman.ts'
import { type OwnEngine, startSecondEngine } from '../../support/engine/dockerd.ts'
import { sshSite } from '../../support/engine/ssh-site.ts'
import { freePort } from '../../support/network/free-port.ts'
import { testMachine } from '../../support/suite/env.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const tls = (name: string) => join(import.meta.dirname, '../../../fixtures/tls', name)

/**
 * Four engines: `lab` tries versions first, `north` and `south` are stores, and `office` is none of them. `north` is
 * reached over TCP with certificates of both sides, `south` over SSH.
 */
class Fleet implements AsyncDisposable {
  private readonly stack = new AsyncDisposableStack()
  readonly sockets = new Map<string, string>()
  readonly sites: object[] = []
  south!: OwnEngine

  static async start(): Promise<Fleet> {
    const fleet = new Fleet()
    await using undo = new AsyncDisposableStack()
    undo.use(fleet.stack)
    const { dockerSocket } = await testMachine()
    const port = await freePort()
    const [north, south, office] = await Promise.all([
      startSecondEngine([
        ...['--host', `tcp://127.0.0.1:${port}`, '--tlsverify', '--tlscacert', tls('first-ca.pem')],
        ...['--tlscert', tls('first-engine.pem'), '--tlskey', tls('first-engine.key')],
      ]).then(engine => fleet.stack.use(engine)),
      startSecondEngine().then(engine => fleet.stack.use(engine)),
      startSecondEngine().then(engine => fleet.stack.use(engine)),
    ])
    fleet.south = south
    fleet.add('lab', dockerSocket, { labels: { lab: 'true' } })
    fleet.add('north', north.socket, {
      endpoint: `tcp://127.0.0.1:${port}`,
      tls: { ca: tls('first-ca.pem'), cert: tls('first-client.pem'), key: tls('first-client.key') },
    })
    const { endpoint, ssh } = fleet.stack.use(await sshSite({ socket: south.socket })).site()
    fleet.add('south', south.socket, { endpoint, ssh })
    fleet.add('office', office.socket, { labels: { 'system/type': 'control-tower' } })
    undo.move()
    return fleet
  }

  private add(name: string, socket: string, more: object = {}): void {
    this.sockets.set(name, socket)
    this.sites.push({ name, endpoint: `unix://${socket}`, ...more })
  }

  /** The tags of what runs on each site: `lab:1 north:1 south:- office:-`. */
  async runs({ environment }: Scene): Promise<string> {
    const told = [...this.sockets].map(async ([name, socket]) => {
      const all = await containersOf(socket, environment).catch(() => undefined)
      const running = all?.filter(({ state }) => state === 'running')
      const tags = running?.map(({ labels }) => (labels['tallyman.image'] ?? '').split(':').at(-1)).join('+')
      return `${name}:${tags === undefined ? '?' : tags || '-'}`
    })
    return (await Promise.all(told)).join(' ')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack.disposeAsync()
  }
}

async function stateOf(daemon: Daemon): Promise<DeploymentStatus | undefined> {
  const status = await daemon.status()
  return status.deployments?.[0]
}

/** Waits until the deployment is in a state, with so many sites done. */
async function until(
  daemon: Daemon,
  version: string,
  state: string,
  done: number,
): Promise<DeploymentStatus> {
  let last: DeploymentStatus | undefined
  await waitUntil(`${version} ${state} with ${done} done`, async () => {
    last = await stateOf(daemon)
    return last?.version === version && last.state === state && last.sites.done === done
  }).catch(error => {
    throw new Error(
      `${String(error)}: ${JSON.stringify(last)}\n${daemon.said().stdout}${daemon.said().stderr}`,
    )
  })
  if (last === undefined) throw new Error('no deployment')
  return last
}

/** Commits an application on all edge sites. */
async function release(scene: Scene, version: string, strategy: string): Promise<string> {
  const { environment } = scene
  const manifest = {
    skipConfirmation: true,
    services: [{ name: 'shop', containers: [{ dockerName: 'shop', dockerTag: version }] }],
  }
  return scene.commit(manifest, `shop ${version}`, {
    'deployments/shop.yaml': [
      'name: shop',
      'application: shop',
      'placement: {match-site-labels: system/type = edge}',
      `deploy-to-sites: {${strategy}}`,
      `# ${environment}`,
    ].join('\n'),
  })
}

/** The ids of what runs on each site that has this version. */
async function idsOf(
  fleet: Fleet,
  { environment }: Scene,
  version: string,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const [name, socket] of fleet.sockets)
    for (const { id, labels } of await containersOf(socket, environment))
      if (labels['tallyman.image']?.endsWith(`:${version}`)) found[name] = id
  return found
}

const canary = 'canary-sites: {match-site-labels: lab}'
const byWord = `${canary}, canary-continue-by-action: true, sites-in-parallel: 1`
const byTime = `${canary}, canary-healthy-time: 1s, sites-in-parallel: 2`

/** How long a site takes at least to get a version, so that something can happen meanwhile. */
const healthyTime = '1500ms'

describe('a deployment over real engines', () => {
  let fleet: Fleet
  before(async () => {
    fleet = await Fleet.start()
  })
  after(() => fleet[Symbol.asyncDispose]())

  it('A31 A32 X20 reaches the canary, and by a word the others, one after the other', async () => {
    await using scene = await createScene({ config: { sites: fleet.sites } })
    const { tallyman } = scene
    await scene.push('shop', '1')
    await release(scene, '1', byWord)
    const daemon = await tallyman.daemon()
    const waiting = await until(daemon, '1', 'waiting', 1)
    expect(await fleet.runs(scene)).to.equal('lab:1 north:- south:- office:-')
    expect((await tallyman.run('approve', waiting.approve ?? '')).stdout).to.equal(
      'Approved: shop brings 1 to its other sites now.\n',
    )
    const { batches } = await until(daemon, '1', 'done', 3)
    expect(batches.map(({ sites }) => sites.length)).to.deep.equal([1, 1, 1])
    expect(await fleet.runs(scene)).to.equal('lab:1 north:1 south:1 office:-')
  })

  it('A33 A34 an engine that is stopped in its batch catches up; a bad version stops in the canary, and a revert moves nobody else', async () => {
    await using scene = await createScene({ config: { sites: fleet.sites, healthyTime } })
    const { tallyman } = scene
    await Promise.all(['1', '2'].map(tag => scene.push('shop', tag, { env: { V: tag } })))
    await scene.push('shop', '3', { cmd: ['sh', '-c', 'exit 3'] })
    await release(scene, '1', 'sites-in-parallel: 3')
    const daemon = await tallyman.daemon()
    await until(daemon, '1', 'done', 3)

    await release(scene, '2', byTime)
    await waitUntil('both stores are on their way', async () => (await stateOf(daemon))?.sites.now === 2)
    await using stopped = await whileStopped(fleet.south)
    const waiting = await until(daemon, '2', 'waiting', 2)
    expect(waiting.left.map(({ site }) => site)).to.deep.equal(['south'])
    expect(await fleet.runs(scene)).to.equal('lab:2 north:2 south:? office:-')
    await stopped.start()
    await until(daemon, '2', 'done', 3)
    expect(await fleet.runs(scene)).to.equal('lab:2 north:2 south:2 office:-')
    const before = await idsOf(fleet, scene, '2')

    await release(scene, '3', byTime)
    const { reason } = await until(daemon, '3', 'aborted', 0)
    expect(reason).to.match(/^failed on lab: \S+\.shop\.1\.\S+: /)
    await waitUntil('the lab has 2 back', async () => (await fleet.runs(scene)).startsWith('lab:2 '))
    const { stdout } = await tallyman.run('deployment', 'shop')
    expect(stdout).to.include('shop 3  failed  0 of 3 sites done')
    await scene.repository.revert(await scene.repository.head())
    await until(daemon, '2', 'done', 3)
    expect(await fleet.runs(scene)).to.equal('lab:2 north:2 south:2 office:-')
    expect(await idsOf(fleet, scene, '2')).to.deep.equal(before)
  })

  it('G25 A32 a daemon that is killed in a batch and between two goes on where it was: no site twice, none forgotten', async () => {
    await using scene = await createScene({ config: { sites: fleet.sites, healthyTime } })
    await Promise.all(['1', '2'].map(tag => scene.push('shop', tag, { env: { V: tag } })))
    await release(scene, '1', 'sites-in-parallel: 3')
    const first = await scene.tallyman.daemon()
    await until(first, '1', 'done', 3)
    await release(scene, '2', 'sites-in-parallel: 1, healthy-time: 3s')
    await waitUntil('the first batch is on its way', async () => (await stateOf(first))?.version === '2')
    const { batches: before } = (await stateOf(first)) ?? { batches: [] }
    await kill(first)

    const second = await scene.tallyman.daemon()
    await until(second, '2', 'proving', 1)
    const reached = await idsOf(fleet, scene, '2')
    await kill(second)

    const third = await scene.tallyman.daemon()
    const { batches } = await until(third, '2', 'done', 3)
    expect(batches.map(({ sites }) => sites.length)).to.deep.equal([1, 1, 1])
    expect(batches[0]?.at).to.equal(before[0]?.at)
    expect(new Set(batches.flatMap(({ sites }) => sites.map(({ site }) => site))).size).to.equal(3)
    expect(await fleet.runs(scene)).to.equal('lab:2 north:2 south:2 office:-')
    expect(await idsOf(fleet, scene, '2'), 'nobody twice').to.include(reached)
  })
})

/** Stops an engine until it is started, at the latest when this is disposed of. */
async function whileStopped(engine: OwnEngine): Promise<AsyncDisposable & { start(): Promise<void> }> {
  let isStopped = true
  const start = async () => {
    if (isStopped) await engine.start()
    isStopped = false
  }
  await engine.stop()
  return { start, [Symbol.asyncDispose]: start }
}

async function kill(daemon: Daemon): Promise<void> {
  daemon.signal('SIGKILL')
  await daemon.ended
}
