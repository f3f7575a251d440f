import type { PushedImage } from '../../support/images/images.ts'
import { megabytes, type Row } from '../report/table.ts'
import { all } from '../report/workload.ts'
import { type Surroundings, tallymanDaemon } from '../tallyman.ts'

export type MemoryInput = Surroundings & {
  readonly services: number
  readonly passes: number
  readonly image: PushedImage
}

const mostBytes = 128 << 20
const mostGrowth = 1.05

/** Resident memory of the daemon: idle after its first passes, and over many. */
export async function measureMemory(input: MemoryInput): Promise<readonly Row[]> {
  const { services, passes, image } = input
  await using subject = await tallymanDaemon(input, '0s')
  await subject.bring(all(image, services))
  const idle = await memoryAfter(10)
  const half = await memoryAfter(passes / 2)
  const whole = await memoryAfter(passes / 2)
  const ratio = whole / half

  async function memoryAfter(count: number): Promise<number> {
    for (let pass = 0; pass < count; pass++) await subject.daemon.pass()
    await subject.daemon.quiet()
    return subject.daemon.memory()
  }

  const goal = `≤ ${mostBytes >> 20} MB`
  return [
    { what: 'memory of the daemon, idle', measured: megabytes(idle), goal, reached: idle <= mostBytes },
    {
      what: `memory after ${passes} passes`,
      measured: megabytes(whole),
      beside: `after ${passes / 2}: ${megabytes(half)}`,
      ratio,
      goal: `≤ ${mostGrowth.toFixed(2)}`,
      reached: ratio <= mostGrowth,
    },
  ]
}
