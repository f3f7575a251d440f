import type { Config, HostConfig, MountPoint } from '../config.ts'
import type { Files } from '../image/files.ts'
import type { Image, Images } from '../image/images.ts'
import type { Network, Networks } from '../network/networks.ts'
import type { Clock } from '../server/clock.ts'
import type { Events } from '../server/events.ts'
import type { Moment } from '../server/moment.ts'
import { missing } from '../server/refusal.ts'
import type { Swarm } from '../swarm/swarm.ts'
import type { Volumes } from '../volumes.ts'
import type { Process, Stream } from './process.ts'

/** A container of a simulated engine. The files beside this one change it, as the engine's calls ask for. */
export type Container = {
  readonly id: string
  name: string
  readonly created: Moment
  readonly image: Image
  readonly config: Config
  hostConfig: HostConfig
  readonly mounts: readonly MountPoint[]
  readonly files: Files
  state: State
  /** How often the engine itself has restarted it since somebody started it. */
  restarts: number
  /** How often it was started at all. */
  starts: number
  /** Whether somebody stopped or killed it: the engine then does not restart it. */
  isStoppedByHand: boolean
  /** By the network's name. */
  readonly endpoints: Map<string, Endpoint>
  readonly log: Line[]
  health: Health | undefined
  /** While it runs. */
  process: Process | undefined
  /** Cancels what is due: the next check, or the next restart. */
  cancelCheck: () => void
  cancelRestart: () => void
  /** The ports of the host that it holds. */
  ports: readonly HeldPort[]
  /** Is called once it no longer runs. */
  readonly onEnd: Set<() => void>
}

export type State = {
  readonly status: 'created' | 'running' | 'paused' | 'restarting' | 'exited' | 'removing' | 'dead'
  readonly exitCode: number
  readonly error: string
  readonly startedAt: Moment | undefined
  readonly finishedAt: Moment | undefined
}

/** How a container is attached to a network, or will be once it runs. */
export type Endpoint = {
  readonly aliases: readonly string[] | null
  /** An address that somebody chose. */
  readonly chosen: string | undefined
  /** Empty before the container is attached for the first time. */
  readonly networkId: string
  /** While it is attached. */
  readonly network: Network | undefined
}

export type Line = { readonly at: Moment; readonly stream: Stream; readonly text: string }

export type Health = {
  readonly status: 'starting' | 'healthy' | 'unhealthy'
  readonly failures: number
  /** The last five checks. */
  readonly log: readonly Check[]
}

type Check = {
  readonly start: Moment
  readonly end: Moment
  readonly exitCode: number
  readonly output: string
}

export type HeldPort = {
  readonly ip: string
  readonly privatePort: number
  readonly publicPort: number
  readonly protocol: string
}

/** A program that was executed beside the first process of a container, or is to be. */
export type Exec = {
  readonly id: string
  readonly container: Container
  readonly command: readonly string[]
  exitCode: number | null
}

/** Everything of one simulated engine. */
export type Daemon = {
  readonly identity: Identity
  readonly clock: Clock
  readonly now: () => Moment
  readonly events: Events
  readonly images: Images
  readonly networks: Networks
  readonly volumes: Volumes
  /** By id, in the order in which they were created. */
  readonly containers: Map<string, Container>
  readonly execs: Map<string, Exec>
  /** The Swarm that it manages; absent: it manages none. */
  swarm?: Swarm
}

export type Identity = {
  readonly id: string
  /** The name of the machine. */
  readonly name: string
  readonly version: string
  readonly apiVersion: string
}

/** Whether its first process runs, paused or not. */
export function isUp({ state: { status } }: Container): boolean {
  return status === 'running' || status === 'paused'
}

/** Returns the container of an id, a name or the beginning of an id. */
export function findContainer(daemon: Daemon, text: string): Container | undefined {
  const name = text.replace(/^\//, '')
  const all = [...daemon.containers.values()]
  return (
    daemon.containers.get(text) ??
    all.find(one => one.name === name) ??
    (/^[0-9a-f]+$/.test(text) ? all.find(one => one.id.startsWith(text)) : undefined)
  )
}

/** The same; throws the engine's refusal. */
export function getContainer(daemon: Daemon, text: string): Container {
  const container = findContainer(daemon, text)
  if (container === undefined) throw missing(`No such container: ${text}`)
  return container
}

/** Tells those who listen that something happened to a container. */
export function tell(
  daemon: Daemon,
  { id, name, image, config }: Container,
  action: string,
  more: Readonly<Record<string, string>> = {},
): void {
  daemon.events.emit('container', action, id, {
    ...config.Labels,
    ...more,
    image: config.Image || image.id,
    name,
  })
}
