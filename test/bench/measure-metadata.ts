import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { keyBytes, keyFile, recordFile } from '../../lib/metadata/place.ts'
import { launcher } from '../support/command/tallyman.ts'
import { freePort } from '../support/network/free-port.ts'
import { needPrograms } from '../support/suite/programs.ts'
import { waitUntil } from '../support/time/wait-until.ts'
import { type Load, wrk } from './ingress/wrk.ts'
import { duration, megabytes, type Row } from './report/table.ts'

const connections = 64
const seconds = 10
/** Each connection waits so long before each request, so that a little more than the wanted number are asked. */
const pauseMs = 10
const leastPerSecond = 5_000
const mostP99Ms = 10
const mostBytes = 80 << 20

/** Requests for the manifest of a pod, to the metadata service in a process as its container has it (C53). */
export async function measureMetadata(): Promise<readonly Row[]> {
  await needPrograms(['wrk'])
  const steady = await underLoad(pauseMs)
  const busy = await underLoad(undefined)
  const as = `${connections} connections`
  return [
    {
      what: `metadata service, requests per second, ${as} that pause for ${pauseMs} ms`,
      measured: Math.round(steady.perSecond).toString(),
      goal: `≥ ${leastPerSecond}`,
      reached: steady.perSecond >= leastPerSecond,
    },
    {
      what: '99 of 100 requests within',
      measured: duration(steady.p99Ms),
      goal: `≤ ${mostP99Ms} ms`,
      reached: steady.p99Ms <= mostP99Ms,
    },
    memoryOf(steady),
    {
      what: `metadata service, requests per second, ${as} without a pause`,
      measured: Math.round(busy.perSecond).toString(),
    },
    { what: '99 of 100 requests within', measured: duration(busy.p99Ms) },
    memoryOf(busy),
  ]
}

function memoryOf({ memoryBytes }: Measured): Row {
  return {
    what: 'memory of the metadata service',
    measured: megabytes(memoryBytes),
    goal: `≤ ${megabytes(mostBytes)}`,
    reached: memoryBytes <= mostBytes,
  }
}

/** `memoryBytes`: the most resident memory that the process had. */
type Measured = Load & { readonly memoryBytes: number }

async function underLoad(pauseMs: number | undefined): Promise<Measured> {
  await using place = await mkdtempDisposable(join(tmpdir(), 'tallyman-metadata-'))
  const token = 'a-token-of-the-bench'
  const record = join(place.path, recordFile(token))
  await mkdir(dirname(record))
  await writeFile(record, JSON.stringify(aPod))
  await writeFile(join(place.path, keyFile), Buffer.alloc(keyBytes))
  const port = await freePort()
  const args = ['metadata-service', '--directory', place.path, '--port', String(port)]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', launcher(), ...args], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  try {
    const load = {
      url: `http://127.0.0.1:${port}/${token}/acMetadata/v1/pod/manifest`,
      host: 'tallyman-metadata',
      connections,
      ...(pauseMs === undefined ? {} : { pauseMs }),
    }
    await waitUntil('the metadata service answers', () =>
      fetch(load.url).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const done = await wrk({ ...load, seconds })
    return { ...done, memoryBytes: await mostMemoryOf(child.pid) }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function mostMemoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

const apps = ['main', 'backup', 'proxy'].map(name => ({
  name,
  image: { name: `example.com/${name}`, id: `sha256-${'a'.repeat(64)}` },
  app: { exec: [`/bin/${name}`, '--data-dir=/var/lib/work'], user: '1000', group: '1000' },
}))

const aPod = {
  uuid: '11111111-1111-4111-8111-111111111111',
  manifest: { acVersion: '0.8.11', acKind: 'PodManifest', apps },
  annotations: [],
  apps: {},
}
