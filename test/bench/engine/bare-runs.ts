import type { PushedImage } from '../../support/images/images.ts'
import { uniqueName } from '../../support/suite/env.ts'
import { timed } from '../report/statistics.ts'
import { limitedCalls } from './limited-calls.ts'

export type BareRuns = {
  readonly dockerSocket: string
  readonly concurrency: number
  readonly image: PushedImage
  readonly network: string
  readonly count: number
}

/** So many containers that do nothing, created, started, waited for and removed; how long that took, in milliseconds. */
export async function bareRuns(input: BareRuns): Promise<number> {
  const { dockerSocket, concurrency, image, network, count } = input
  using engine = limitedCalls(dockerSocket, concurrency)
  const config = { Image: image.pinned, Cmd: ['true'], HostConfig: { NetworkMode: network } }
  const runOne = async (name: string) => {
    await engine.call('POST', `/containers/create?name=${name}`, config)
    await engine.call('POST', `/containers/${name}/start`)
    await engine.call('POST', `/containers/${name}/wait`)
    await engine.call('DELETE', `/containers/${name}?v=1`)
  }
  const names = Array.from({ length: count }, () => uniqueName('bench-run'))
  return timed(() => Promise.all(names.map(runOne)))
}
