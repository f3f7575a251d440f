import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { engineCall } from '../../support/engine/engine-call.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { uniqueName } from '../../support/suite/env.ts'
import { waitUntil } from '../../support/time/wait-until.ts'
import { timed } from '../report/statistics.ts'
import type { Subject } from '../report/subject.ts'
import { serviceName, type Workload } from '../report/workload.ts'

/** What the daemon tells a Swarm, too, if the healthy time is 0: a task is watched for a second, and nothing waits. */
const update = {
  parallelism: 1,
  monitorNs: 1_000_000_000,
  order: 'start-first',
  failureAction: 'pause',
} as const

type Told = {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly Spec: { readonly Name: string }
  readonly UpdateStatus?: { readonly State: string }
}

type Task = {
  readonly ServiceID: string
  readonly DesiredState: string
  readonly Status: { readonly State: string }
  readonly Spec: { readonly ContainerSpec: { readonly Image: string } }
}

/**
 * The same services by nothing but calls to the manager, `concurrency` side by side, and a wait until all tasks run and
 * every update is complete: nobody can do it with fewer.
 */
export async function bareServices(socket: string, concurrency: number): Promise<Subject> {
  const name = uniqueName('bench')
  const limit = pLimit(concurrency)
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    limit(() => callOf(socket, method, path, body))
  const told = async <T>(path: string): Promise<readonly T[]> => JSON.parse(await call('GET', path))
  const own = async () => (await told<Told>('/services')).filter(one => one.Spec.Name.startsWith(`${name}_`))
  await call('POST', '/networks/create', { Name: name, Driver: 'overlay' })
  const specOf = (index: number, { pinned }: PushedImage) => ({
    Name: `${name}_${serviceName(index)}`,
    TaskTemplate: {
      ContainerSpec: { Image: pinned },
      Networks: [{ Target: name, Aliases: [serviceName(index)] }],
    },
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: {
      ...{ Parallelism: update.parallelism, Monitor: update.monitorNs, Order: update.order },
      FailureAction: update.failureAction,
    },
    EndpointSpec: { Mode: 'dnsrr' },
  })
  const areDone = async (images: ReadonlyMap<string, string>) => {
    const [services, tasks] = await Promise.all([own(), told<Task>('/tasks')])
    const running = new Set(
      tasks
        .filter(({ DesiredState, Status }) => DesiredState === 'running' && Status.State === 'running')
        .map(({ ServiceID, Spec }) => `${ServiceID} ${Spec.ContainerSpec.Image}`),
    )
    return services.every(
      ({ ID, Spec, UpdateStatus }) =>
        running.has(`${ID} ${images.get(Spec.Name)}`) && (UpdateStatus?.State ?? 'completed') === 'completed',
    )
  }
  const bring = (workload: Workload) =>
    timed(async () => {
      const there = new Map((await own()).map(one => [one.Spec.Name, one]))
      const specs = workload.map((image, index) => specOf(index, image))
      await Promise.all(
        specs.map(spec => {
          const before = there.get(spec.Name)
          const path = before === undefined ? 'create' : `${before.ID}/update?version=${before.Version.Index}`
          return call('POST', `/services/${path}`, spec)
        }),
      )
      const images = new Map(specs.map(({ Name, TaskTemplate }) => [Name, TaskTemplate.ContainerSpec.Image]))
      await waitUntil('all services run', () => areDone(images), 600_000)
    })
  return {
    bring,
    look: () => timed(() => Promise.all([told('/services'), told('/tasks')])),
    async [Symbol.asyncDispose]() {
      for (const { ID } of await own()) await call('DELETE', `/services/${ID}`)
      await removeNetwork(socket, name)
    },
  }
}

/** Waits until no task on a Swarm runs an image any more, also none that is being stopped. */
export async function hasEnded(socket: string, { pinned }: PushedImage): Promise<void> {
  await waitUntil(
    'what was replaced has ended',
    async () => {
      const tasks: readonly Task[] = JSON.parse(await callOf(socket, 'GET', '/tasks'))
      return !tasks.some(
        ({ Spec, Status }) => Spec.ContainerSpec.Image === pinned && Status.State === 'running',
      )
    },
    600_000,
  )
}

/** `docker stack deploy --detach=false`; undefined where the command line cannot wait. */
export async function stackDeploy(socket: string): Promise<(() => Promise<Subject>) | undefined> {
  const run = promisify(execFile)
  const help = await run('docker', ['stack', 'deploy', '--help']).catch(() => undefined)
  if (help?.stdout.includes('--detach') !== true) return undefined
  return async () => {
    const name = uniqueName('bench')
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-stack-'))
    const file = join(directory, 'stack.json')
    const docker = (...args: readonly string[]) =>
      run('docker', ['--host', `unix://${socket}`, 'stack', ...args])
    const bring = async (workload: Workload) => {
      await writeFile(file, stackFileOf(workload))
      return timed(() => docker('deploy', '--detach=false', '--quiet', '--compose-file', file, name))
    }
    return {
      bring,
      look: bring,
      async [Symbol.asyncDispose]() {
        await docker('rm', name)
        await removeNetwork(socket, `${name}_default`)
        await rm(directory, { recursive: true, force: true })
      },
    }
  }
}

function stackFileOf(workload: Workload): string {
  const deploy = {
    ...{ replicas: 1, endpoint_mode: 'dnsrr' },
    update_config: {
      ...{ parallelism: update.parallelism, monitor: '1s', order: update.order },
      failure_action: update.failureAction,
    },
  }
  const services = workload.map(({ pinned }, index) => [serviceName(index), { image: pinned, deploy }])
  return JSON.stringify({ version: '3.8', services: Object.fromEntries(services) })
}

/** Tasks that are ending still use it. */
async function removeNetwork(socket: string, name: string): Promise<void> {
  await waitUntil(
    `the network ${name} is gone`,
    async () => {
      const { status } = await engineCall(socket, 'DELETE', `/networks/${name}`)
      return status === 204 || status === 404
    },
    120_000,
  )
}

/** Throws when the manager refuses. */
async function callOf(
  socket: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<string> {
  const { status, body: answer } = await engineCall(socket, method, path, body)
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer.toString()}`)
  return answer.toString()
}
