import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GitServer } from '../../support/git/git-server.ts'
import { createRepository } from '../../support/git/repository.ts'
import { median } from '../report/statistics.ts'
import { duration, type Row } from '../report/table.ts'

const small = 2_500
const large = 10_000
const mostMs = 500
const times = 3

/** Time to read an environment out of a commit that was fetched, in a process that has done nothing else. */
export async function measureResolve(gitServer: GitServer): Promise<readonly Row[]> {
  const few = await measureOne(gitServer, small)
  const many = await measureOne(gitServer, large)
  const ratio = many.resolveMs / few.resolveMs
  const most = large / small
  return [
    {
      what: `resolving ${small} included files`,
      measured: duration(few.resolveMs),
      goal: `≤ ${mostMs} ms`,
      reached: few.resolveMs <= mostMs,
    },
    {
      what: `resolving ${large} included files`,
      measured: duration(many.resolveMs),
      beside: `${small} files: ${duration(few.resolveMs)}`,
      ratio,
      goal: `≤ ${most.toFixed(2)}`,
      reached: ratio <= most,
    },
    { what: `fetching the commit with ${small} files`, measured: duration(few.fetchMs) },
    { what: `fetching the commit with ${large} files`, measured: duration(many.fetchMs) },
  ]
}

/** What `resolve-once.ts` prints. */
type Once = { readonly fetchMs: number; readonly resolveMs: number }

async function measureOne(gitServer: GitServer, count: number): Promise<Once> {
  await using repository = await createRepository(gitServer)
  await repository.commit(filesOf(count))
  const measured: Once[] = []
  for (let time = 0; time < times; time++) {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-resolve-'))
    const script = join(import.meta.dirname, 'resolve-once.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, repository.url, directory])
    measured.push(JSON.parse(stdout))
    await rm(directory, { recursive: true, force: true })
  }
  return {
    fetchMs: median(measured.map(({ fetchMs }) => fetchMs)),
    resolveMs: median(measured.map(({ resolveMs }) => resolveMs)),
  }
}

/** A manifest that includes `count` files of one service each, in directories of a hundred. */
function filesOf(count: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: count }, (_, index) => `team-${Math.floor(index / 100)}/s${index}.json`)
  const services = names.map((name, index) => [
    `environments/prod/${name}`,
    JSON.stringify({
      services: [
        {
          name: `s${index}`,
          version: '1.0.0',
          containers: [{ dockerName: 'example.com/web', dockerTag: '1.0' }],
        },
      ],
    }),
  ])
  return Object.fromEntries([
    ['environments/prod/manifest.json', JSON.stringify({ includes: names })],
    ...services,
  ])
}
