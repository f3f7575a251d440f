import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { sharedUntilEnd } from '../suite/shared-until-end.ts'
import { type OwnEngine, startSecondEngine } from './dockerd.ts'
import { engineCall, engineGet } from './engine-call.ts'

/** The bridge by which tasks on overlay networks reach outside; each engine of a Swarm makes it in its own network. */
const gateway = 'docker_gwbridge'

/** Makes an engine the only manager of a Swarm of its own. */
export async function beginSwarm(socket: string): Promise<void> {
  const body = { ListenAddr: '127.0.0.1:0', AdvertiseAddr: '127.0.0.1' }
  const answer = await engineCall(socket, 'POST', '/swarm/init', body)
  if (answer.status !== 200) throw new Error(`swarm init: ${answer.status} ${answer.body.toString()}`)
}

/** The Swarm of one node in the network of the tests that all files of a process have. */
const ours = sharedUntilEnd(async () => {
  const engine = await startSwarmEngine()
  await beginSwarm(engine.socket)
  return engine
})

/** Has a Swarm of one node for the tests of a `describe`, which others have used; its socket is known from then on. */
export function swarmForTests(): { readonly socket: string } {
  let engine: OwnEngine | undefined
  before(async () => {
    engine = await ours()
  })
  return {
    get socket() {
      if (engine === undefined) throw new Error('no test runs yet')
      return engine.socket
    },
  }
}

/** Starts an engine beside the one that runs, which is no part of a Swarm yet. Its bridge is gone once it is disposed of. */
export async function startSwarmEngine(): Promise<OwnEngine> {
  const wasThere = existsSync(`/sys/class/net/${gateway}`)
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    if (!wasThere && existsSync(`/sys/class/net/${gateway}`))
      await promisify(execFile)('/sbin/ip', ['link', 'delete', gateway])
  })
  const engine = stack.use(await startSecondEngine())
  const parts = stack.move()
  return { ...engine, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** The part of a service that tests look at. */
export type SwarmService = {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: {
    readonly Name: string
    readonly Labels: Readonly<Record<string, string>>
    readonly Mode: { readonly Replicated: { readonly Replicas: number } }
    readonly TaskTemplate: {
      readonly ContainerSpec: {
        readonly Image: string
        readonly Env?: readonly string[]
        readonly [key: string]: unknown
      }
      readonly [key: string]: unknown
    }
    readonly [key: string]: unknown
  }
}

/** All services of a Swarm, by name. */
export async function servicesOn(socket: string): Promise<readonly SwarmService[]> {
  const services: readonly SwarmService[] = JSON.parse(JSON.stringify(await engineGet(socket, '/services')))
  return services.toSorted((a, b) => (a.Spec.Name < b.Spec.Name ? -1 : 1))
}

/** The tasks of a service that run now, by id. */
export async function runningTasks(socket: string, { ID }: SwarmService): Promise<readonly string[]> {
  const filters = encodeURIComponent(JSON.stringify({ service: [ID], 'desired-state': ['running'] }))
  const tasks: readonly { readonly ID: string; readonly Status: { readonly State: string } }[] = JSON.parse(
    JSON.stringify(await engineGet(socket, `/tasks?filters=${filters}`)),
  )
  return tasks.filter(({ Status }) => Status.State === 'running').map(task => task.ID)
}
