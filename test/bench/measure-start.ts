import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { launcher } from '../support/command/tallyman.ts'
import { median, timed } from './report/statistics.ts'
import { duration, type Row } from './report/table.ts'

const mostMs = 150
const times = 15

/** `tallyman --version`, from the start of the process to its end. */
export async function measureStart(): Promise<readonly Row[]> {
  const run = promisify(execFile)
  const measured: number[] = []
  for (let time = 0; time < times; time++) measured.push(await timed(() => run(launcher(), ['--version'])))
  const ms = median(measured)
  return [
    { what: 'tallyman --version', measured: duration(ms), goal: `≤ ${mostMs} ms`, reached: ms <= mostMs },
  ]
}
