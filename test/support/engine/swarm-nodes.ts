import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { RegistryAddress } from '../images/registry.ts'
import { type TestMachine, testMachine } from '../suite/env.ts'
import { needPrograms } from '../suite/programs.ts'
import { sharedUntilEnd } from '../suite/shared-until-end.ts'
import { waitUntil } from '../time/wait-until.ts'
import { type OwnEngine, startEngineIn } from './dockerd.ts'
import { engineCall, engineGet } from './engine-call.ts'

const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
const run = (program: string, ...args: readonly string[]) => promisify(execFile)(program, args, { env })

export type SwarmNode = OwnEngine & {
  readonly address: string
  /** Takes it from the network of the others, which it reaches again once this is disposed of. */
  cutOff(): Promise<AsyncDisposable>
}

/** A Swarm of engines that each have a network of their own, and the registry that all of them reach. */
export type SwarmOfNodes = AsyncDisposable & {
  readonly nodes: readonly SwarmNode[]
  readonly registry: RegistryAddress
}

/** Starts so many engines beside those of this machine, on one bridge. They are no Swarm yet. Needs root. */
export async function startNodes(count = 3): Promise<SwarmOfNodes> {
  await needPrograms(['dockerd', 'ip', 'iptables'])
  const name = `tsw${randomBytes(3).toString('hex')}`
  const subnet = `10.214.${randomInt(1, 255)}`
  await using stack = new AsyncDisposableStack()
  const undoing = (...command: readonly [string, ...string[]]) =>
    stack.defer(async () => void (await run(...command)))
  await run('ip', 'link', 'add', name, 'type', 'bridge')
  undoing('ip', 'link', 'delete', name)
  await run('ip', 'address', 'add', `${subnet}.1/24`, 'dev', name)
  await run('ip', 'link', 'set', name, 'up')
  const passing = ['FORWARD', '-i', name, '-o', name, '-j', 'ACCEPT']
  await run('iptables', '-w', '-I', ...passing)
  undoing('iptables', '-w', '-D', ...passing)
  const registry = stack.use(await relayTo((await testMachine()).registry, `${subnet}.1`))
  const nodes: SwarmNode[] = []
  for (let number = 1; number <= count; number += 1) {
    const [node, address] = [`${name}-${number}`, `${subnet}.${number + 1}`]
    const connected = async () => {
      await run('ip', 'netns', 'add', node)
      const link = ['link', 'add', `${name}v${number}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', node]
      await run('ip', ...link)
      await run('ip', 'link', 'set', `${name}v${number}`, 'master', name, 'up')
      await run('ip', '-n', node, 'link', 'set', 'lo', 'up')
      await run('ip', '-n', node, 'address', 'add', `${address}/24`, 'dev', 'eth0')
      await run('ip', '-n', node, 'link', 'set', 'eth0', 'up')
      await run('ip', '-n', node, 'route', 'add', 'default', 'via', `${subnet}.1`)
    }
    await connected()
    undoing('ip', 'netns', 'delete', node)
    const engine = stack.use(await startEngineIn(node, ['--insecure-registry', registry.host]))
    const stop = async () => {
      await engine.stop()
      await forgetSandboxes(engine.socket)
      await run('ip', 'link', 'delete', `${name}v${number}`)
      await run('ip', 'netns', 'delete', node)
      await connected()
    }
    const cutOff = async () => {
      const link = ['link', 'set', `${name}v${number}`] as const
      await run('ip', ...link, 'down')
      return { [Symbol.asyncDispose]: async () => void (await run('ip', ...link, 'up')) }
    }
    nodes.push({ ...engine, stop, cutOff, address })
  }
  const parts = stack.move()
  return { nodes, registry, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** A Swarm whose first node is its manager, and what tests need of it. */
export type SwarmOfOneManager = SwarmOfNodes & { readonly manager: SwarmNode; readonly machine: TestMachine }

/** Starts a Swarm of so many nodes, of which the first is its manager, and waits until each of them takes tasks. */
async function beginSwarmOf(count: number): Promise<SwarmOfOneManager> {
  await using stack = new AsyncDisposableStack()
  const swarm = stack.use(await startNodes(count))
  const [manager] = swarm.nodes
  if (manager === undefined) throw new Error('no node')
  await joinNodes(swarm.nodes, 'Worker')
  await waitUntil('all nodes are ready', () => areReady(manager.socket, count))
  const parts = stack.move()
  const machine = { dockerSocket: manager.socket, registry: swarm.registry }
  return { ...swarm, manager, machine, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** Whether all nodes of a Swarm of so many take tasks, as its manager says. */
export async function areReady(manager: string, count: number): Promise<boolean> {
  const all = await statesOf(manager)
  return all.length === count && all.every(state => state === 'ready')
}

/** The states of all nodes of a Swarm, as its manager says; none if it does not. */
export async function statesOf(manager: string): Promise<readonly string[]> {
  const { status, body } = await engineCall(manager, 'GET', '/nodes')
  if (status !== 200) return []
  const all: readonly { readonly Status: { readonly State: string } }[] = JSON.parse(body.toString())
  return all.map(({ Status }) => Status.State)
}

const ofThree = sharedUntilEnd(() => beginSwarmOf(3))
const ofOne = sharedUntilEnd(() => beginSwarmOf(1))

/**
 * Has a Swarm of a manager and two workers for the tests of a `describe`. All files of a process have the same one, so each
 * test leaves all nodes ready, and nothing on them.
 */
export function swarmOfThree(): Pick<SwarmOfOneManager, 'nodes' | 'manager' | 'registry' | 'machine'> {
  const swarm = forTests(ofThree)
  return {
    get nodes() {
      return swarm().nodes
    },
    get manager() {
      return swarm().manager
    },
    get registry() {
      return swarm().registry
    },
    get machine() {
      return swarm().machine
    },
  }
}

/** Has a Swarm of one node in a network of its own for the tests of a `describe`, which others of this process have used. */
export function swarmApart(): TestMachine {
  const swarm = forTests(ofOne)
  return {
    get dockerSocket() {
      return swarm().machine.dockerSocket
    },
    get registry() {
      return swarm().machine.registry
    },
  }
}

function forTests<T>(get: () => Promise<T>): () => T {
  let value: T | undefined
  before(async () => {
    value = await get()
  })
  return () => {
    if (value === undefined) throw new Error('no test runs yet')
    return value
  }
}

/**
 * Removes the networks that an engine left, as if its machine had been started again; that of the machine itself goes
 * as well. Otherwise the engine may find the tunnels of overlay networks in its way for as long as something holds them,
 * and refuse tasks ("error creating vxlan interface: file exists").
 */
async function forgetSandboxes(socket: string): Promise<void> {
  const directory = join(dirname(socket), 'exec', 'netns')
  for (const name of await readdir(directory)) {
    // An engine that was stopped in the middle of making one has not mounted it yet, or not any more.
    await run('umount', join(directory, name)).catch(() => undefined)
    await rm(join(directory, name))
  }
}

/** Makes nodes one Swarm: the first is its leader at first, and the others are what is said. */
export async function joinNodes(
  [first, ...others]: readonly SwarmNode[],
  role: 'Manager' | 'Worker',
): Promise<void> {
  if (first === undefined) throw new Error('no node')
  const own = (address: string) => ({ ListenAddr: `${address}:2377`, AdvertiseAddr: address })
  await done(first.socket, '/swarm/init', own(first.address))
  const told = await engineCall(first.socket, 'GET', '/swarm')
  const { JoinTokens }: { readonly JoinTokens: Readonly<Record<'Manager' | 'Worker', string>> } = JSON.parse(
    told.body.toString(),
  )
  for (const { socket, address } of others)
    await done(socket, '/swarm/join', {
      ...own(address),
      RemoteAddrs: [`${first.address}:2377`],
      JoinToken: JoinTokens[role],
    })
}

/** The id of the node that an engine is. */
export async function nodeOf(socket: string): Promise<string> {
  const { Swarm }: { readonly Swarm: { readonly NodeID: string } } = JSON.parse(
    JSON.stringify(await engineGet(socket, '/info')),
  )
  return Swarm.NodeID
}

/** Changes what a manager says of a node. */
export async function changeNode(manager: SwarmNode, node: SwarmNode, more: object): Promise<void> {
  const path = `/nodes/${await nodeOf(node.socket)}`
  const { Version, Spec }: { readonly Version: { readonly Index: number }; readonly Spec: object } =
    JSON.parse(JSON.stringify(await engineGet(manager.socket, path)))
  await done(manager.socket, `${path}/update?version=${Version.Index}`, { ...Spec, ...more })
}

/** The nodes on which tasks run that should. */
export async function nodesWithTasks(socket: string): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ 'desired-state': ['running'] }))
  const tasks: readonly { readonly NodeID: string; readonly Status: { readonly State: string } }[] =
    JSON.parse(JSON.stringify(await engineGet(socket, `/tasks?filters=${filters}`)))
  return [...new Set(tasks.filter(({ Status }) => Status.State === 'running').map(({ NodeID }) => NodeID))]
}

async function done(socket: string, path: string, body: object): Promise<void> {
  const answer = await engineCall(socket, 'POST', path, body)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString()}`)
}

/** Lets engines of other networks reach a registry of this machine. */
async function relayTo(
  registry: RegistryAddress,
  address: string,
): Promise<RegistryAddress & AsyncDisposable> {
  const { hostname, port } = new URL(registry.url)
  const server = createServer(socket => {
    const behind = connect(Number(port), hostname)
    pipeline(socket, behind, socket).catch(() => behind.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  const host = `${address}:${bound.port}`
  return {
    host,
    url: `http://${host}`,
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  }
}
