import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene } from '../../scenes/scene.ts'
import { releaseShop } from '../../scenes/spread-shop.ts'
import { createTallyman } from '../../support/command/tallyman.ts'
import { engineCall, engineGet } from '../../support/engine/engine-call.ts'
import { runningTasks, servicesOn } from '../../support/engine/swarm.ts'
import {
  joinNodes,
  nodeOf,
  nodesWithTasks,
  type SwarmNode,
  type SwarmOfNodes,
  startNodes,
} from '../../support/engine/swarm-nodes.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

describe('a Docker Swarm of three managers', () => {
  let swarm: SwarmOfNodes
  before(async () => {
    swarm = await startNodes()
    await joinNodes(swarm.nodes, 'Manager')
  })
  after(() => swarm[Symbol.asyncDispose]())

  it('G17 D18 finishes an update whose leader is lost in its middle, on the nodes that are left', async () => {
    const [leader, manager] = swarm.nodes
    if (leader === undefined || manager === undefined) throw new Error('there are three')
    const { socket } = manager
    await using scene = await createScene({
      commands: 'here',
      machine: { dockerSocket: socket, registry: swarm.registry },
      config: {
        ...{ healthyTime: '2s', poll: '3s' },
        sites: [
          {
            ...{ name: 'cluster', endpoint: `unix://${socket}`, kind: 'swarm' },
            ...{ endpointMode: 'dnsrr', publishMode: 'host' },
          },
        ],
      },
    })
    const [, two] = await Promise.all(['1', '2'].map(tag => scene.push('web', tag, { env: { V: tag } })))
    // A node that cannot pull ends an update, which is taken back and tried again: what is lost here is the leader alone.
    const path = `/images/create?fromImage=${encodeURIComponent(two?.pinned ?? '')}`
    await Promise.all(swarm.nodes.map(({ socket }) => engineCall(socket, 'POST', path)))
    for (const node of swarm.nodes) await engineGet(node.socket, `/images/${two?.pinned ?? ''}/json`)
    await releaseShop(scene, '1')
    const daemon = await scene.tallyman.daemon()
    await daemon.until('all run', ({ applications: [shop] }) => shop?.version === '1' && shop.running === 3)
    const [first] = await servicesOn(socket)
    if (first === undefined) throw new Error('there is one')
    expect(await nodesWithTasks(socket), 'the tasks are spread').to.have.lengthOf(3)
    const shown = await scene.tallyman.run('status')
    // All of them are engines of this machine, and have its name.
    expect(shown.stdout).to.match(
      /tasks of +site +on nodes\n +shop\/web +cluster +(\S+ \w{12} \(1\)(, |$)){3}/m,
    )

    await releaseShop(scene, '2')
    await daemon.until('it waits', seen => seen.running?.step?.startsWith('await-service') === true)
    const lost = await nodeOf(leader.socket)
    await using restarted = stopped(leader)
    await restarted.begin()
    await daemon.until(
      'all run elsewhere',
      ({ applications: [shop], sync, running }) =>
        shop?.version === '2' && shop.running === 3 && sync === 'Synced' && running === undefined,
    )
    const [now] = await servicesOn(socket)
    expect(now?.ID).to.equal(first.ID)
    await waitUntil(
      'they run on the nodes that are left',
      async () =>
        (await runningTasks(socket, first)).length === 3 && !(await nodesWithTasks(socket)).includes(lost),
    )
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    const log = await scene.tallyman.run('log')
    expect(log.stdout, `nothing was taken back:\n${log.stdout}`).not.to.include('rolled-back')

    await restarted.end()
    await waitUntil(
      'it is a node again',
      async () => (await engineCall(leader.socket, 'GET', '/nodes')).status === 200,
    )
    await waitUntil('all run', async () => (await runningTasks(socket, first)).length === 3)
  })

  it('D17 G17 asks another manager when one is lost or cut off from the others, needs no word once it is back, and finds a second writer whichever manager that asks', async () => {
    const [one, two, three] = swarm.nodes.map(({ socket }) => `unix://${socket}`)
    const [, asked, other] = swarm.nodes
    if (asked === undefined || other === undefined) throw new Error('there are three')
    const { registry } = swarm
    const config = siteOf(two, three, one)
    await using scene = await createScene({
      ...{ commands: 'here', machine: { dockerSocket: other.socket, registry }, config },
    })
    await scene.push('web', '1')
    await releaseShop(scene, '1', 'replicas: 2')
    const daemon = await scene.tallyman.daemon()
    const doRun = () => daemon.until('all run', ({ applications: [shop] }) => shop?.running === 2)
    const isBack = () =>
      waitUntil(
        'it is a manager again',
        async () => (await engineCall(asked.socket, 'GET', '/nodes')).status === 200,
      )
    await doRun()
    await using rival = await createTallyman({ ...scene.config, ...siteOf(three, two) }, other.socket, 'here')
    const refused = await rival.run('apply', '--yes')
    expectCode(refused, 1)
    expect(refused.stderr).to.include('(another-writer)')

    {
      await using restarted = stopped(asked)
      await restarted.begin()
      await takeAway(other, `${scene.environment}_shop_web`)
      await doRun()
    }
    await isBack()
    {
      await using _ = await asked.cutOff()
      await takeAway(other, `${scene.environment}_shop_web`)
      await doRun()
    }
    await isBack()
    // Tasks run before their rollout is over, of which a plan would tell.
    await daemon.until('it is over', seen => seen.sync === 'Synced' && seen.running === undefined)
    expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
    const log = await scene.tallyman.run('log')
    expect(log.stdout).not.to.include('rolled-back')
  })
})

/** A site whose managers are asked in this order. */
function siteOf(endpoint: string | undefined, ...managers: readonly (string | undefined)[]) {
  const site = { name: 'cluster', endpoint, kind: 'swarm', managers }
  return { poll: '3s', sites: [{ ...site, endpointMode: 'dnsrr', publishMode: 'host' }] }
}

/** Removes a service by hand, and waits until it is there again. */
async function takeAway({ socket }: SwarmNode, service: string): Promise<void> {
  await waitUntil('it is removed', async () => {
    const { status } = await engineCall(socket, 'DELETE', `/services/${service}`)
    return status === 200 || status === 404
  })
  await waitUntil(
    'it is there again',
    async () => (await engineCall(socket, 'GET', `/services/${service}`)).status === 200,
  )
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
