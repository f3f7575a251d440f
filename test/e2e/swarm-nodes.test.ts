import { expect } from 'chai'
import { createIngressScene } from '../scenes/ingress-scene.ts'
import { expectCode } from '../scenes/plan-document.ts'
import { createScene, type Scene } from '../scenes/scene.ts'
import { engineCall, engineGet } from '../support/engine-call.ts'
import { ask, keepAsking } from '../support/requests.ts'
import { runningTasks, servicesOn } from '../support/swarm.ts'
import { joinNodes, type SwarmNode, type SwarmOfNodes, startNodes } from '../support/swarm-nodes.ts'
import { createTallyman } from '../support/tallyman.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Three engines and their tasks take their time where other tests run beside them. */
const limitMs = 180_000

describe('a Docker Swarm of three nodes', function () {
  this.timeout(600_000)

  let swarm: SwarmOfNodes
  before(async () => {
    swarm = await startNodes()
    await joinNodes(swarm.nodes)
  })
  after(() => swarm[Symbol.asyncDispose]())

  it('G17 D18 finishes an update whose leader is lost in its middle, on the nodes that are left', async () => {
    const [leader, manager] = swarm.nodes
    if (leader === undefined || manager === undefined) throw new Error('there are three')
    const { socket } = manager
    await using scene = await createScene({
      dockerSocket: socket,
      registry: swarm.registry,
      config: {
        healthyTime: '2s',
        sites: [
          {
            ...{ name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' },
            ...{ endpointMode: 'dnsrr', publishMode: 'host' },
          },
        ],
      },
    })
    await Promise.all(['1', '2'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    await release(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until(
      'all run',
      ({ applications: [shop] }) => shop?.version === '1' && shop.running === 3,
      limitMs,
    )
    const [first] = await servicesOn(socket)
    if (first === undefined) throw new Error('there is one')
    expect(await nodesOf(socket), 'the tasks are spread').to.have.lengthOf(3)
    const shown = await scene.tallyman.run('status')
    // All of them are engines of this machine, and have its name.
    expect(shown.stdout).to.match(
      /tasks of +site +on nodes\n +shop\/web +cluster +(\S+ \w{12} \(1\)(, |$)){3}/m,
    )

    await release(scene, '2')
    await daemon.until('it waits', seen => seen.running?.step?.startsWith('await-service') === true, limitMs)
    const lost = await nodeOf(leader.socket)
    await using restarted = stopped(leader)
    await restarted.begin()
    await daemon.until(
      'all run elsewhere',
      ({ applications: [shop], sync, running }) =>
        shop?.version === '2' && shop.running === 3 && sync === 'Synced' && running === undefined,
      limitMs,
    )
    const [now] = await servicesOn(socket)
    expect(now?.ID).to.equal(first.ID)
    await waitUntil(
      'they run on the nodes that are left',
      async () => (await runningTasks(socket, first)).length === 3 && !(await nodesOf(socket)).includes(lost),
      limitMs,
    )
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    const log = await scene.tallyman.run('log')
    expect(log.stdout, 'nothing was taken back').not.to.include('rolled-back')

    await restarted.end()
    await waitUntil(
      'it is a node again',
      async () => (await engineCall(leader.socket, 'GET', '/nodes')).status === 200,
      limitMs,
    )
    await waitUntil('all run', async () => (await runningTasks(socket, first)).length === 3, limitMs)
  })

  it('G17 runs one task on each node where the specification says so', async () => {
    const [, manager] = swarm.nodes
    if (manager === undefined) throw new Error('there are three')
    const { socket } = manager
    await using scene = await createScene({
      dockerSocket: socket,
      registry: swarm.registry,
      config: {
        sites: [
          {
            ...{ name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' },
            ...{ endpointMode: 'dnsrr', publishMode: 'host' },
          },
        ],
      },
    })
    await Promise.all(['1', '2'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    for (const tag of ['1', '2']) {
      await release(scene, tag, 'mode: global')
      expectCode(await scene.tallyman.run('apply'), 0)
      const services = await servicesOn(socket)
      const own = services.find(({ Spec }) => Spec.Name.startsWith(scene.environment))
      if (own === undefined) throw new Error('there is one')
      expect(own.Spec.Labels['tallyman.version']).to.equal(tag)
      // The node that was away may be taken for one that is about to go for a while.
      await waitUntil('one on each', async () => (await nodesOf(socket)).length === 3, limitMs).catch(
        async cause => {
          throw new Error(`one on each: ${await saidOfNodes(socket)}`, { cause })
        },
      )
      expect(await runningTasks(socket, own)).to.have.lengthOf(3)
    }
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
  })

  it('A45 runs tasks and hooks only on nodes with the labels and the platform that are asked for', async () => {
    const [, manager, chosen] = swarm.nodes
    if (manager === undefined || chosen === undefined) throw new Error('there are three')
    const { socket } = manager
    const node = await nodeOf(chosen.socket)
    const { Version, Spec }: { readonly Version: { readonly Index: number }; readonly Spec: object } =
      JSON.parse(JSON.stringify(await engineGet(socket, `/nodes/${node}`)))
    const labelled = { ...Spec, Labels: { disk: 'ssd' } }
    const path = `/nodes/${node}/update?version=${Version.Index}`
    expect((await engineCall(socket, 'POST', path, labelled)).status).to.equal(200)
    const site = { name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' }
    await using scene = await createScene({
      dockerSocket: socket,
      registry: swarm.registry,
      config: {
        healthyTime: '300ms',
        sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }],
      },
    })
    await scene.push('web', '1')
    const placed = (labels: string) => `replicas: 3
    placement: {match-host-labels: "${labels}"}
    strategy:
      rollingUpdate:
        timeoutSeconds: 10
        pre: {failurePolicy: Abort, execNewPod: {containerName: web, command: [sh, -c], args: ["hostname"]}}`
    await release(scene, '1', placed('disk = ssd and not disk = tape'), '\n        platform: linux/amd64')
    const planned = await scene.tallyman.run('plan')
    expect(planned.stdout).to.include(
      'on nodes with: node.labels.disk==ssd, node.labels.disk!=tape, linux/amd64',
    )
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await nodesOf(socket)).to.deep.equal([node])

    await release(scene, '1', placed('disk = tape'))
    const failed = await scene.tallyman.run('apply')
    expectCode(failed, 1)
    expect(failed.stdout + failed.stderr).to.include('scheduling constraints not satisfied')
    expect(await nodesOf(socket), 'those before go on').to.deep.equal([node])
  })

  it('G1 G17 publishes one port on each node that runs a task, also while the tasks are replaced', async () => {
    const [, manager] = swarm.nodes
    if (manager === undefined) throw new Error('there are three')
    await using scene = await createScene({
      dockerSocket: manager.socket,
      registry: swarm.registry,
      config: {
        sites: [
          {
            ...{ name: 'cluster', endpoint: `unix://${manager.socket}`, kind: 'swarm' },
            ...{ endpointMode: 'dnsrr', publishMode: 'host' },
          },
        ],
      },
    })
    await scene.push('web', '1')
    for (const version of ['1', '2']) {
      const script = `echo ${version} > /tmp/index.html; exec httpd -f -p 80 -h /tmp`
      const containers = `
        command: [sh, -c, "${script}"]
        ports: ["8080:80"]`
      await release(scene, '1', 'replicas: 3\n    network: {outbound-access: {allow-all: true}}', containers)
      expectCode(await scene.tallyman.run('apply'), 0)
      for (const { address } of swarm.nodes) {
        const answer = await fetch(`http://${address}:8080/`)
        expect(await answer.text(), address).to.equal(`${version}\n`)
      }
    }
  })

  it('P12 P33 answers by routes on each node, wherever tasks are, and loses no request as they are replaced', async () => {
    const [, manager] = swarm.nodes
    if (manager === undefined) throw new Error('there are three')
    const site = { name: 'cluster', endpoint: `unix://${manager.socket}`, kind: 'swarm' }
    await using scene = await createIngressScene(
      {},
      {
        dockerSocket: manager.socket,
        registry: swarm.registry,
        sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }],
      },
    )
    const { http: port, tallyman } = scene
    const host = 'shop.example'
    const shop = (version: string) =>
      scene.release({ name: 'shop', version, routes: [{ host }], env: { ON_TERM: 'drain' } })
    await shop('1')
    expectCode(await tallyman.run('apply'), 0)
    const asked = swarm.nodes.map(({ address }) => ({ address, port, host, path: '/' }))
    for (const one of asked)
      await waitUntil('it answers', async () => (await ask(one)).status === 200, limitMs)
    await using stack = new AsyncDisposableStack()
    const asking = asked.map(one => stack.use(keepAsking(one, { clients: 8, pauseMs: 20 })))
    await shop('2')
    expectCode(await tallyman.run('apply'), 0)
    for (const one of asking) expect((await one.end()).failed).to.deep.equal([])
    for (const one of asked) expect((await ask(one)).body, one.address).to.equal('2')
  })

  it('D17 G17 asks another manager when one is lost, and finds a second writer whichever manager that asks', async () => {
    const [one, two, three] = swarm.nodes.map(({ socket }) => `unix://${socket}`)
    const [, lost, other] = swarm.nodes
    if (lost === undefined || other === undefined) throw new Error('there are three')
    const { registry } = swarm
    const config = siteOf(two, three, one)
    await using scene = await createScene({ dockerSocket: other.socket, registry, config })
    await scene.push('web', '1')
    await release(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('all run', ({ applications: [shop] }) => shop?.running === 3, limitMs)
    await using rival = await createTallyman({ ...scene.config, ...siteOf(three, two) }, other.socket)
    const refused = await rival.run('apply', '--yes')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('(another-writer)')

    await using restarted = stopped(lost)
    await restarted.begin()
    await takeAway(other, `${scene.environment}_shop_web`)
    await daemon.until('all run', ({ applications: [shop] }) => shop?.running === 3, limitMs)
  })

  it('D17 G17 asks another manager while one is cut off from the others, and needs no word once it is back', async () => {
    const [one, two, three] = swarm.nodes.map(({ socket }) => `unix://${socket}`)
    const [, lonely, other] = swarm.nodes
    if (lonely === undefined || other === undefined) throw new Error('there are three')
    const { registry } = swarm
    await using scene = await createScene({
      ...{ dockerSocket: other.socket, registry, config: siteOf(two, three, one) },
    })
    await scene.push('web', '1')
    await release(scene, '1', 'replicas: 2')
    const daemon = await scene.tallyman.daemon()
    const doRun = () => daemon.until('all run', ({ applications: [shop] }) => shop?.running === 2, limitMs)
    await doRun()
    {
      await using _ = await lonely.cutOff()
      await takeAway(other, `${scene.environment}_shop_web`)
      await doRun()
    }
    await waitUntil(
      'it is a manager again',
      async () => (await engineCall(lonely.socket, 'GET', '/nodes')).status === 200,
      limitMs,
    )
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    const log = await scene.tallyman.run('log')
    expect(log.stdout).not.to.include('rolled-back')
  })
})

/** A site whose managers are asked in this order. */
function siteOf(endpoint: string | undefined, ...managers: readonly (string | undefined)[]) {
  const site = { name: 'cluster', endpoint, kind: 'swarm', managers }
  return { healthyTime: '300ms', sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] }
}

/** Removes a service by hand, and waits until it is there again. */
async function takeAway({ socket }: SwarmNode, service: string): Promise<void> {
  await waitUntil(
    'it is removed',
    async () => {
      const { status } = await engineCall(socket, 'DELETE', `/services/${service}`)
      return status === 200 || status === 404
    },
    limitMs,
  )
  await waitUntil(
    'it is there again',
    async () => (await engineCall(socket, 'GET', `/services/${service}`)).status === 200,
    limitMs,
  )
}

function release(scene: Scene, tag: string, mode = 'replicas: 3', more = ''): Promise<string> {
  return scene.commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': `
name: shop
version: "${tag}"
services:
  - name: web
    ${mode}
    containers:
      - name: web
        image: ${scene.prefix}/web:${tag}${more}
`,
  })
}

/** Stops an engine, which is there again in the end, whatever becomes of the test. */
function stopped(node: Pick<SwarmNode, 'start' | 'stop'>) {
  let isStopped = false
  async function end(): Promise<void> {
    if (isStopped) await node.start()
    isStopped = false
  }
  return {
    async begin(): Promise<void> {
      isStopped = true
      await node.stop()
    },
    end,
    [Symbol.asyncDispose]: end,
  }
}

/** The id of the node that an engine is. */
async function nodeOf(socket: string): Promise<string> {
  const { Swarm }: { readonly Swarm: { readonly NodeID: string } } = JSON.parse(
    JSON.stringify(await engineGet(socket, '/info')),
  )
  return Swarm.NodeID
}

/** What the manager tells of its nodes and of tasks that do not run, where a test fails. */
async function saidOfNodes(socket: string): Promise<string> {
  const [nodes, tasks]: readonly [
    readonly { readonly ID: string; readonly Status: object }[],
    readonly { readonly NodeID: string; readonly DesiredState: string; readonly Status: object }[],
  ] = JSON.parse(JSON.stringify(await Promise.all(['/nodes', '/tasks'].map(path => engineGet(socket, path)))))
  return JSON.stringify([
    nodes.map(({ ID, Status }) => ({ ID, Status })),
    tasks.map(({ NodeID, DesiredState, Status }) => ({ NodeID, DesiredState, Status })),
  ])
}

/** The nodes on which tasks run that should. */
async function nodesOf(socket: string): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ 'desired-state': ['running'] }))
  const tasks: readonly { readonly NodeID: string; readonly Status: { readonly State: string } }[] =
    JSON.parse(JSON.stringify(await engineGet(socket, `/tasks?filters=${filters}`)))
  return [...new Set(tasks.filter(({ Status }) => Status.State === 'running').map(({ NodeID }) => NodeID))]
}
