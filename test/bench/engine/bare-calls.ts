import { cleanUp } from '../../support/engine/clean-up.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { uniqueName } from '../../support/suite/env.ts'
import { timed } from '../report/statistics.ts'
import type { Subject } from '../report/subject.ts'
import { alone, type Shape, serviceName, type Workload } from '../report/workload.ts'
import { limitedCalls } from './limited-calls.ts'

/**
 * The same work in nothing but engine calls, `concurrency` side by side: nobody can do it with fewer. Instances of one
 * service are made at once and replaced one after the other; members live in the network, the processes and the IPC
 * of the instance's first container.
 */
export async function bareCalls(
  dockerSocket: string,
  concurrency: number,
  { replicas, members, internal }: Shape = alone,
): Promise<Subject> {
  const environment = uniqueName('bench')
  const cleaning = cleanUp(dockerSocket, environment)
  const { call, ...engine } = limitedCalls(dockerSocket, concurrency)
  const labels = { 'tallyman.environment': environment }
  const running = new Map<string, PushedImage>()

  const bringService = async (service: string, image: PushedImage) => {
    const old = running.get(service)
    if (old === image) return
    const numbers = Array.from({ length: replicas }, (_, index) => index + 1)
    if (old === undefined) await Promise.all(numbers.map(number => create(service, number, image)))
    else
      for (const number of numbers) {
        await create(service, number, image)
        await remove(service, number, old)
      }
    running.set(service, image)
  }
  const headName = (service: string, number: number, { digest }: PushedImage) =>
    `${environment}.${service}.${number}.${digest.slice(7, 15)}`
  const memberNames = (head: string) => Array.from({ length: members }, (_, index) => `${head}.m${index + 1}`)

  const create = async (service: string, number: number, image: PushedImage) => {
    const head = headName(service, number, image)
    await call('POST', `/containers/create?name=${head}`, headConfig(image, service))
    await call('POST', `/containers/${head}/start`)
    await Promise.all(
      memberNames(head).map(async name => {
        await call('POST', `/containers/create?name=${name}`, memberConfig(image, head))
        await call('POST', `/containers/${name}/start`)
      }),
    )
  }
  const remove = async (service: string, number: number, image: PushedImage) => {
    const head = headName(service, number, image)
    await Promise.all(memberNames(head).map(stopAndRemove))
    await stopAndRemove(head)
  }
  const stopAndRemove = async (name: string) => {
    await call('POST', `/containers/${name}/stop`)
    await call('DELETE', `/containers/${name}?v=1`)
  }
  const restart = { RestartPolicy: { Name: 'unless-stopped' } }
  const headConfig = (image: PushedImage, service: string) => ({
    Image: image.pinned,
    Labels: labels,
    HostConfig: {
      NetworkMode: environment,
      ...(members === 0 ? {} : { IpcMode: 'shareable' }),
      ...restart,
    },
    NetworkingConfig: { EndpointsConfig: { [environment]: { Aliases: [service] } } },
  })
  const memberConfig = (image: PushedImage, head: string) => {
    const inside = `container:${head}`
    return {
      Image: image.pinned,
      Labels: labels,
      HostConfig: { NetworkMode: inside, PidMode: inside, IpcMode: inside, ...restart },
    }
  }
  const list = () =>
    call(
      'GET',
      `/containers/json?all=1&filters=${encodeURIComponent(JSON.stringify({ label: [`tallyman.environment=${environment}`] }))}`,
    )

  return {
    bring: (workload: Workload) =>
      timed(async () => {
        await list()
        if (running.size === 0)
          await call('POST', '/networks/create', {
            Name: environment,
            Driver: 'bridge',
            Internal: internal,
            Labels: labels,
          })
        await Promise.all(workload.map((image, index) => bringService(serviceName(index), image)))
      }),
    look: () => timed(list),
    async [Symbol.asyncDispose]() {
      await cleaning.now()
      engine[Symbol.dispose]()
    },
  }
}
