import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Container, type Daemon, findContainer, type Identity } from './container/container.ts'
import { createImages } from './image/images.ts'
import { type SimulatedRegistry, simulatedRegistry } from './image/registry.ts'
import { type Pool, usualPools } from './network/addresses.ts'
import { createNetworks } from './network/networks.ts'
import { type Clock, realClock } from './server/clock.ts'
import { createEvents } from './server/events.ts'
import { createFaults, type Faults } from './server/faults.ts'
import { newId } from './server/ids.ts'
import { createMoments } from './server/moment.ts'
import { answer } from './server/routes.ts'
import { createDoor } from './server/serve.ts'
import { shutDown, startAgain } from './shutdown.ts'
import { beginSwarm, type Swarm } from './swarm/swarm.ts'
import { createVolumes } from './volumes.ts'

/** A Docker Engine in this process: the part of its API that `lib/docker` uses, over HTTP on a socket of its own. */
export type SimulatedEngine = AsyncDisposable & {
  readonly socket: string
  /** `unix://…`, for the `endpoint` of a site. */
  readonly endpoint: string
  /** Where it pulls from. Several engines may share one. */
  readonly registry: SimulatedRegistry
  readonly clock: Clock
  /**
   * Answers a call such as `POST /networks/create` at once, without a connection and beside faults: the value that it
   * answers with. Throws a `Refusal`.
   */
  ask(call: string, body?: object): Promise<unknown>
  /** What goes wrong, and when. */
  readonly faults: Faults
  /** `GET /containers/json`, without API version and query, in the order they came. */
  readonly calls: readonly string[]
  forgetCalls(): void
  /** Refuses connections, and cuts those that are open. Its containers go on. */
  off(): Promise<void>
  on(): Promise<void>
  /** Ends all containers, is away for a moment, and starts those again whose restart policy says so. */
  restart(): Promise<void>
  /** Makes it the only manager and node of a Swarm, whose tasks are no containers. Returns the same Swarm again. */
  beginSwarm(): Swarm
  /** Has it leave its Swarm, of which nothing is left. */
  leaveSwarm(): void
  /** From now on events are told late by the engine's clock, or not at all; `undefined`: at once. */
  tellEvents(how: 'never' | { readonly lateMs: number } | undefined): void
  /** The container of a name or an id, as it is now. */
  container(name: string): Container | undefined
  /** All containers, in the order in which they were created. */
  containers(): readonly Container[]
}

export type SimulatedEngineOptions = {
  readonly clock?: Clock
  readonly registry?: SimulatedRegistry
  readonly identity?: Partial<Identity>
  /** Where networks get their addresses from that nobody chose. */
  readonly pools?: readonly Pool[]
}

/** Starts an engine without containers or images. Disposing of it ends it, and everything in it. */
export async function simulatedEngine(options: SimulatedEngineOptions = {}): Promise<SimulatedEngine> {
  const { clock = realClock, registry = simulatedRegistry(), pools = usualPools } = options
  const now = createMoments(clock)
  let telling: 'never' | { readonly lateMs: number } | undefined
  const events = createEvents(now, send => {
    if (telling === undefined) send()
    else if (telling !== 'never') clock.after(telling.lateMs, send)
  })
  const daemon: Daemon = {
    identity: {
      id: newId().slice(0, 32),
      name: 'simulated',
      version: '20.10.24',
      apiVersion: '1.41',
      ...options.identity,
    },
    ...{ clock, now, events },
    images: createImages(registry, events),
    networks: createNetworks(pools, now, events),
    volumes: createVolumes(now, events),
    ...{ containers: new Map(), execs: new Map() },
  }
  const faults = createFaults()
  const calls: string[] = []
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-simulated-'))
  const socket = join(directory, 'docker.sock')
  const door = createDoor(daemon, socket, faults, call => calls.push(call))
  await door.open()
  return {
    ...{ socket, endpoint: `unix://${socket}`, registry, clock, faults, calls },
    async ask(call, body) {
      const [method = '', target = ''] = call.split(' ')
      const { pathname, searchParams: query } = new URL(target, 'http://engine')
      const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body))
      return (await answer(daemon, { method, path: pathname, query, body: sent })).json
    },
    forgetCalls: () => {
      calls.length = 0
    },
    off: door.close,
    on: door.open,
    async restart() {
      await door.close()
      await shutDown(daemon)
      startAgain(daemon)
      await door.open()
    },
    beginSwarm() {
      if (daemon.swarm === undefined) daemon.networks.create({ Name: 'docker_gwbridge' })
      daemon.swarm ??= beginSwarm(now, events)
      return daemon.swarm
    },
    leaveSwarm() {
      if (daemon.swarm !== undefined) daemon.networks.remove('docker_gwbridge')
      delete daemon.swarm
    },
    tellEvents: how => {
      telling = how
    },
    container: name => findContainer(daemon, name),
    containers: () => [...daemon.containers.values()],
    async [Symbol.asyncDispose]() {
      for (const { cancelCheck, cancelRestart, process } of daemon.containers.values()) {
        cancelCheck()
        cancelRestart()
        process?.pause()
      }
      await door.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
