import { Agent } from 'node:http'
import pLimit from 'p-limit'
import { cleanUp } from '../support/clean-up.ts'
import { uniqueName } from '../support/env.ts'
import { httpCall } from '../support/http-call.ts'
import type { PushedImage } from '../support/images.ts'
import { exceptLeakedNetwork } from './leaked-network.ts'
import { timed } from './statistics.ts'
import type { Subject } from './subject.ts'
import { serviceName, type Workload } from './workload.ts'

/** The same work in nothing but engine calls, `concurrency` side by side: nobody can do it with fewer. */
export async function bareCalls(dockerSocket: string, concurrency: number): Promise<Subject> {
  const environment = uniqueName('bench')
  const cleaning = cleanUp(dockerSocket, environment)
  const agent = new Agent({ keepAlive: true })
  const limit = pLimit(concurrency)
  const labels = { 'tallyman.environment': environment }
  const running = new Map<string, PushedImage>()

  const call = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await httpCall(
      { socketPath: dockerSocket, method, path, headers, agent },
      body && JSON.stringify(body),
    )
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
  }
  const containerName = (service: string, { digest }: PushedImage) =>
    `${environment}.${service}.${digest.slice(7, 15)}`
  const bringOne = async (service: string, image: PushedImage) => {
    const old = running.get(service)
    if (old === image) return
    const name = containerName(service, image)
    await limit(() => call('POST', `/containers/create?name=${name}`, configOf(image, service)))
    await limit(() => call('POST', `/containers/${name}/start`))
    if (old !== undefined) {
      const before = containerName(service, old)
      await limit(() => call('POST', `/containers/${before}/stop`))
      await limit(() => call('DELETE', `/containers/${before}?v=1`))
    }
    running.set(service, image)
  }
  const configOf = (image: PushedImage, service: string) => ({
    Image: image.pinned,
    Labels: labels,
    HostConfig: { NetworkMode: environment, RestartPolicy: { Name: 'unless-stopped' } },
    NetworkingConfig: { EndpointsConfig: { [environment]: { Aliases: [service] } } },
  })
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
          await call('POST', '/networks/create', { Name: environment, Driver: 'bridge', Labels: labels })
        await Promise.all(workload.map((image, index) => bringOne(serviceName(index), image)))
      }),
    look: () => timed(list),
    async [Symbol.asyncDispose]() {
      await exceptLeakedNetwork(cleaning.now)
      agent.destroy()
    },
  }
}
