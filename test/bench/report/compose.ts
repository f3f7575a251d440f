import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackFromDebian } from '../../support/images/debian.ts'
import { uniqueName } from '../../support/suite/env.ts'
import { timed } from './statistics.ts'
import type { Subject } from './subject.ts'
import { composeFileOf, type Workload } from './workload.ts'

const run = promisify(execFile)

/** docker compose v2 as one program. */
export type Compose = { readonly program: string; readonly version: string }

/**
 * docker compose v2: the one on the PATH, else the one of Debian's next release, unpacked into `directory`; the
 * machine's own packages and lists stay as they are. Undefined where it cannot be had.
 */
export async function findCompose(directory: string): Promise<Compose | undefined> {
  for (const program of [
    'docker-compose',
    join(directory, 'usr/libexec/docker/cli-plugins/docker-compose'),
  ]) {
    const found = await versionOf(program)
    if (found !== undefined) return found
    if (program === 'docker-compose')
      await unpackFromDebian('trixie', 'docker-compose', directory).catch(() => undefined)
  }
  return undefined
}

async function versionOf(program: string): Promise<Compose | undefined> {
  const said = await run(program, ['version', '--short']).catch(() => undefined)
  const version = said?.stdout.trim().replace(/^v/, '')
  return version?.startsWith('2') ? { program, version } : undefined
}

/** `docker compose up -d`, with a project of its own. */
export async function composeProject({ program }: Compose, dockerSocket: string): Promise<Subject> {
  const project = uniqueName('bench')
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-compose-'))
  const file = join(directory, 'compose.yaml')
  const env = { PATH: process.env['PATH'], HOME: directory, DOCKER_HOST: `unix://${dockerSocket}` }
  const compose = (...args: readonly string[]) =>
    run(program, ['--progress', 'quiet', '-p', project, '-f', file, ...args], { env })
  const bring = async (workload: Workload) => {
    await writeFile(file, composeFileOf(workload))
    return timed(() => compose('up', '-d'))
  }
  return {
    bring,
    look: bring,
    async [Symbol.asyncDispose]() {
      await exceptLeakedNetwork(() => compose('down'))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Does the work of cleaning up. Docker Engine 20.10 under load now and then counts a container that is gone as a user
 * of its network for ever: nobody can remove such a network, and it is left.
 */
async function exceptLeakedNetwork(cleanUp: () => Promise<unknown>): Promise<void> {
  try {
    await cleanUp()
  } catch (error) {
    if (!String(error).includes('has active endpoints')) throw error
    process.stderr.write('A network stays behind: the engine says that it has active endpoints.\n')
  }
}
