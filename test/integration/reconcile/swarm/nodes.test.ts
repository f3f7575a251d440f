import { expect } from 'chai'
import { stringify } from 'yaml'
import { expectCode } from '../../../scenes/plan-document.ts'
import { createSwarmScene, type Scene, type SwarmScene } from '../scene.ts'

/** A scene whose site is a simulated Swarm, in whose specifications volumes may have a driver. */
async function swarmScene(): Promise<SwarmScene> {
  const policy = { volumeDrivers: ['nfs-plugin'] }
  const scene = await createSwarmScene({ policy })
  for (const tag of ['1', '2']) scene.push('web', tag)
  return scene
}

/** Commits version `tag` of `shop`, whose service `web` is written like this besides. */
function release({ commit, prefix }: Scene, parts: object, container: object = {}, tag = '1') {
  const containers = [{ name: 'app', image: `${prefix}/web:${tag}`, ...container }]
  const services = [{ name: 'web', replicas: 1, containers, ...parts }]
  return commit({ skipConfirmation: true, services: [{ name: 'shop' }] }, `shop ${tag}`, {
    'applications/shop.yaml': stringify({ name: 'shop', version: tag, services }),
  })
}

const mounts = [{ 'volume-name': 'data', 'mount-path': '/data' }]
const withVolume = (volume: object = {}) => ({ volumes: [{ name: 'data', 'persistent-volume': volume }] })

/** The warnings of a command, without what differs from scene to scene. */
async function told(
  { tallyman, environment }: Scene,
  command: 'plan' | 'validate',
): Promise<readonly string[]> {
  const { stdout, stderr } = await tallyman.run(command)
  return `${stdout}\n${stderr}`
    .split('\n')
    .filter(line => /\((?:nodes-lacking|volume-per-node)\)$/.test(line))
    .map(line =>
      line
        .trim()
        .replaceAll(environment, 'ENV')
        .replace(/^.*(?=applications\/)/, ''),
    )
}

const file = 'applications/shop.yaml'
const none = (line: number, column: number, what: string) =>
  `${file}:${line}:${column}: shop/web: no node of local has ${what} (nodes-lacking)`

describe('what a service asks of the nodes of a Swarm', () => {
  /** The warnings of a plan for a service that is written like this, on two nodes. */
  async function warned(scene: Scene, parts: object, container: object = {}): Promise<readonly string[]> {
    await release(scene, parts, container)
    return told(scene, 'plan')
  }
  const labels = (text: string) => ({ placement: { 'match-host-labels': text } })

  async function twoNodes() {
    const scene = await swarmScene()
    scene.swarm.node = { labels: { disk: 'ssd', zone: 'a' } }
    scene.swarm.otherNodes.push({ labels: { disk: 'hdd' }, drivers: ['nfs-plugin:latest'] })
    return scene
  }

  it('G13 is warned of before the rollout where no node has it, with its place and the label that was probably meant', async () => {
    await using scene = await twoNodes()
    expect(await warned(scene, labels('dsik = ssd and shelf = 3'))).to.deep.equal([
      none(10, 26, 'the label "dsik"; did you mean "disk"?'),
      none(10, 26, 'the label "shelf"'),
    ])
    expect(await warned(scene, labels('disk = sdd and zone = a'))).to.deep.equal([
      none(10, 26, 'node.labels.disk==sdd'),
    ])
    expect(await warned(scene, labels('disk = hdd and zone = a'))).to.deep.equal([
      none(10, 26, 'all of node.labels.disk==hdd and node.labels.zone==a'),
    ])
    expect(await warned(scene, labels('disk = ssd and not zoen = b'))).to.deep.equal([
      none(10, 26, 'the label "zoen"; did you mean "zone"?'),
    ])
    expect(await warned(scene, { placement: { 'spread-over': ['zone', 'dsik'] } })).to.deep.equal([
      none(12, 11, 'the label "dsik", over whose values its tasks are to be spread; did you mean "disk"?'),
    ])
    const driver = withVolume({ driver: 'nfs-plugin' })
    expect(await warned(scene, { ...driver, ...labels('zone = a') }, { mounts })).to.deep.equal([
      none(15, 11, 'the driver "nfs-plugin" of its volume ENV.shop.data and meets what it asks for'),
    ])
    scene.swarm.otherNodes.splice(0, 1, { architecture: 'aarch64', drivers: ['nfs-plugni'] })
    expect(await warned(scene, driver, { mounts })).to.deep.equal([
      none(15, 11, 'the driver "nfs-plugin" of its volume ENV.shop.data; did you mean "nfs-plugni"?'),
    ])
  })

  it('G13 is no matter where a node has it, and where nobody may see the nodes', async () => {
    await using scene = await twoNodes()
    expect(await warned(scene, labels('disk = SSD and not closed = yes'))).to.deep.equal([])
    expect(await warned(scene, { placement: { 'spread-over': ['zone'] } })).to.deep.equal([])
    expect(await warned(scene, withVolume({ driver: 'nfs-plugin' }), { mounts })).to.deep.equal([])
    scene.engine.faults.set(/GET \/nodes$/, { status: 403, message: 'forbidden' })
    expect(await warned(scene, { ...labels('dsik = ssd'), ...withVolume() }, { mounts })).to.deep.equal([])
  })

  it('G13 G3 is not asked of the manager in a pass without changes, or for a service that asks for nothing', async () => {
    await using scene = await twoNodes()
    const asked = async () => {
      scene.engine.forgetCalls()
      await scene.tallyman.run('plan')
      return scene.engine.calls.filter(call => call === 'GET /nodes').length
    }
    await release(scene, {})
    expect(await asked()).to.equal(0)
    await release(scene, withVolume(), { mounts })
    expect(await asked()).to.equal(1)
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await asked(), 'for the names of those that run tasks').to.equal(1)
  })

  it('G13 is what the hint asks for: once a node has it, nothing is warned of', async () => {
    await using scene = await swarmScene()
    const driver = { ...withVolume({ driver: 'nfs-plugin' }), ...labels('disk = ssd') }
    expect(await warned(scene, driver, { mounts })).to.have.lengthOf(2)
    scene.swarm.otherNodes.push({ labels: { disk: 'ssd' }, drivers: ['nfs-plugin'] })
    expect(await warned(scene, driver, { mounts })).to.deep.equal([])
  })
})

describe('a volume that each node of a Swarm has of its own', () => {
  const words = (which: string) =>
    `${file}:14:28: shop/web: each node of local has a volume ENV.shop.data of its own, and ${which} may run a task: a task that an update puts on another node finds other data there, or none; choose one node by "placement: {match-host-labels: …}", or share the volume by a driver or "driver_opts" (volume-per-node)`

  /** What `validate` and `plan` say. */
  async function warned(
    scene: Scene,
    parts: object = {},
    tag = '1',
  ): Promise<readonly (readonly string[])[]> {
    await release(scene, parts, { mounts }, tag)
    return [await told(scene, 'validate'), await told(scene, 'plan')]
  }

  it('G13 A48 is warned of before each release by which its task may move, with its place', async () => {
    await using scene = await swarmScene()
    scene.swarm.otherNodes.push({}, { availability: 'drain' }, { labels: { db: 'yes' } })
    expect(await warned(scene, withVolume())).to.deep.equal([[words('any of them')], [words('3 of them')]])
    expectCode(await scene.tallyman.run('apply'), 0)
    expect(await told(scene, 'plan'), 'nothing moves').to.deep.equal([])
    const next = await warned(scene, withVolume(), '2')
    expect(next).to.deep.equal([[words('any of them')], [words('3 of them')]])
  })

  it('G13 A48 is not where one node is chosen, where all nodes share it, in memory, and with one task on each node', async () => {
    await using scene = await swarmScene()
    scene.swarm.otherNodes.push(
      { labels: { db: 'yes' } },
      { labels: { rack: '1' } },
      { labels: { rack: '1' } },
    )
    const choose = (label: string) => ({ placement: { 'match-host-labels': `${label}` }, ...withVolume() })
    expect(await warned(scene, choose('db = yes'))).to.deep.equal([[], []])
    expect((await warned(scene, choose('rack = 1')))[1], 'two are no choice').to.have.lengthOf(1)
    const nfs = { type: 'nfs', device: ':/srv/data', o: 'addr=10.0.0.9' }
    expect(await warned(scene, withVolume({ driver_opts: nfs }))).to.deep.equal([[], []])
    const memory = { type: 'tmpfs', device: 'tmpfs' }
    expect(await warned(scene, withVolume({ driver_opts: memory }))).to.deep.equal([[], []])
    const everywhere = { ...withVolume(), mode: 'global', replicas: undefined }
    expect(await warned(scene, everywhere)).to.deep.equal([[], []])
  })

  it('G13 A48 is not on a Swarm of one node, which only a plan knows', async () => {
    await using scene = await swarmScene()
    expect(await warned(scene, withVolume())).to.deep.equal([[words('any of them')], []])
  })
})
