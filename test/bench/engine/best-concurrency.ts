import type { PushedImage } from '../../support/images/images.ts'
import { all, type Shape } from '../report/workload.ts'
import { bareCalls } from './bare-calls.ts'

const sideBySide = [4, 8, 16]

/** How many engine calls at once make this many services fastest on this machine. */
export async function bestConcurrency(
  dockerSocket: string,
  image: PushedImage,
  services: number,
  shape?: Shape,
): Promise<number> {
  const tried: { readonly concurrency: number; readonly ms: number }[] = []
  for (const concurrency of sideBySide) {
    await using subject = await bareCalls(dockerSocket, concurrency, shape)
    tried.push({ concurrency, ms: await subject.bring(all(image, services)) })
  }
  return tried.toSorted((a, b) => a.ms - b.ms)[0]?.concurrency ?? 8
}
