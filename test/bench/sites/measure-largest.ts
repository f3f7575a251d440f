import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTallyman, launcher, type Tallyman } from '../../support/command/tallyman.ts'
import { createRepository } from '../../support/git/repository.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { timed } from '../report/statistics.ts'
import { duration, megabytes, type Row } from '../report/table.ts'
import { largest } from './largest.ts'

const mostMs = 5_000
const mostBytes = 300 << 20

export type LargestInput = { readonly dockerSocket: string; readonly image: PushedImage }

/** Time and memory of `validate` and `plan` for repositories that reach the limits (G24), in processes of their own. */
export async function measureLargest({ dockerSocket, image }: LargestInput): Promise<readonly Row[]> {
  const name = image.reference.slice(0, image.reference.lastIndexOf(':'))
  const rows: Row[] = []
  for (const { what, files } of largest) {
    await using repository = await createRepository()
    await repository.commit(files(name))
    const config = { repository: { url: `file://${repository.bare}` } }
    await using tallyman = await createTallyman(config, dockerSocket)
    for (const command of ['validate', 'plan'])
      rows.push(...rowsOf(`${command}: ${what}`, await measured(tallyman, command)))
  }
  return rows
}

type Measured = { readonly ms: number; readonly bytes: number }

function rowsOf(what: string, { ms, bytes }: Measured): readonly Row[] {
  return [
    { what, measured: duration(ms), goal: `≤ ${mostMs / 1_000} s`, reached: ms <= mostMs },
    {
      what: `${what}, memory`,
      measured: megabytes(bytes),
      goal: `≤ ${megabytes(mostBytes)}`,
      reached: bytes <= mostBytes,
    },
  ]
}

/** Runs a command, whose process writes down at its end how much memory it needed at most. */
async function measured({ directory, variables }: Tallyman, command: string): Promise<Measured> {
  const file = join(directory, 'most-memory')
  const report = join(import.meta.dirname, 'report-memory.ts')
  const env = { ...variables, NODE_OPTIONS: `--import=${report}`, BENCH_MEMORY: file }
  const ms = await timed(async () => {
    const child = spawn(launcher(), [command], {
      cwd: directory,
      env,
      stdio: 'ignore',
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command} ended with ${code}`)
  })
  return { ms, bytes: Number(await readFile(file, 'utf8')) }
}
