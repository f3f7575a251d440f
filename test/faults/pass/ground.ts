import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../../lib/config.ts'
import { openParts, worldOf } from '../../../lib/daemon.ts'
import { openJournal } from '../../../lib/journal/journal.ts'
import type { Log } from '../../../lib/log.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import { launcher } from '../../support/command/tallyman.ts'
import { cleanUp } from '../../support/engine/clean-up.ts'
import { type TestMachine, uniqueName, victimVariable } from '../../support/suite/env.ts'
import { inventoryOf, type Seen } from './inventory.ts'
import type { Point } from './point.ts'

/** What an environment is to run: its manifest, and application specifications or pods by name. */
export type Manifests = {
  readonly services: readonly object[]
  readonly applications?: Record<string, object>
}

/** How a program ended. */
export type Ended = {
  readonly code: number | null
  readonly killed: boolean
  readonly out: string
  readonly err: string
}

/** An environment of its own on the engine, with its configuration, manifests and state in a directory of its own. */
export type Ground = AsyncDisposable & {
  readonly environment: string
  readonly socket: string
  readonly config: string
  readonly stateDir: string
  /** A host port that nobody else here uses. */
  readonly port: number
  write(manifests: Manifests | ((ground: Ground) => Manifests)): Promise<void>
  /** Runs a pass in this process: `apply` with the answer given, `go on` with none. */
  look(how: 'plan' | 'apply' | 'go on'): Promise<PassResult>
  /**
   * Runs a pass in a process that dies at that point, or is killed once the promise resolves. `retry`: what is
   * quarantined or barred is tried again.
   */
  crash(point: Point | Promise<unknown>, retry?: 'retry'): Promise<Ended>
  /** Runs the command line, without a terminal. */
  tallyman(...args: readonly string[]): Promise<Ended>
  /** What runs of the environment, or is left of what ran. */
  containers(): Promise<readonly Seen[]>
  /** Its networks by their names, without that of the environment. */
  networks(): Promise<readonly string[]>
  /** Lets what failed be tried again, as a person may. */
  forgive(): void
  readJournal<T>(read: (journal: ReturnType<typeof openJournal>) => T): T
}

export type GroundOptions = {
  /** Instead of a directory of its own. */
  readonly repository?: string | undefined
  /** Instead of the machine's. */
  readonly registry?: string | undefined
  readonly healthyTime?: string | undefined
  /** What else the configuration says; its images are below the registry. */
  readonly config?: ((registry: string) => object) | undefined
  /** What the site is; absent: a host. */
  readonly kind?: 'swarm' | undefined
}

/** Programs start faster with it, and many are started. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/node-compile')

/** The kernel of this machine may have no IPVS, which a Swarm needs for all else. */
const siteOptions = { host: {}, swarm: { kind: 'swarm', endpointMode: 'dnsrr', publishMode: 'host' } }

const nothing = () => undefined
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silent }

export async function prepareGround(machine: TestMachine, options: GroundOptions = {}): Promise<Ground> {
  const { dockerSocket: socket } = machine
  const environment = uniqueName('f')
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-faults-'))
  const repository = join(directory, 'repository')
  const stateDir = join(directory, 'state')
  const config = join(directory, 'tallyman.yaml')
  const journalFile = join(stateDir, 'tallyman.sqlite')
  const registry = options.registry ?? machine.registry.host
  const engine = cleanUp(socket, environment)
  await mkdir(repository)
  await writeFile(
    config,
    JSON.stringify({
      repository: { url: options.repository ?? repository },
      environments: [environment],
      registry,
      sites: [{ name: 'local', endpoint: `unix://${socket}`, ...siteOptions[options.kind ?? 'host'] }],
      healthyTime: options.healthyTime ?? '50ms',
      // Its ports are the host's.
      ingress: 'off',
      stateDir,
      ...options.config?.(registry),
    }),
  )
  const inventory = inventoryOf({ kind: options.kind ?? 'host', socket, environment, registry })

  const ground: Ground = {
    environment,
    socket,
    config,
    stateDir,
    port: randomInt(20_000, 30_000),
    async write(manifests) {
      const { services, applications = {} } = typeof manifests === 'function' ? manifests(ground) : manifests
      const place = join(repository, 'environments', environment)
      await rm(place, { recursive: true, force: true })
      await put(join(place, 'manifest.json'), { services })
      for (const [name, body] of Object.entries(applications))
        await put(join(place, 'applications', `${name}.json`), 'acKind' in body ? body : { name, ...body })
    },
    async look(how) {
      const loaded = loadConfig({ config }, {})
      const parts = openParts(loaded)
      const world = worldOf({ ...parts, config: loaded }, environment, silent)
      const freshness = { maxAgeMs: 0, lastGood: false }
      const until = how === 'plan' ? 'plan' : 'apply'
      const answer = how === 'apply' ? { answer: { who: 'bob', via: 'flag' } as const } : {}
      const never = new AbortController().signal
      const result = await round(world, { trigger: 'command', until, freshness, ...answer }, never)
      await parts.close()
      return result
    },
    crash(point, retry) {
      const victim = [process.env[victimVariable] ?? join(import.meta.dirname, 'victim.ts'), config]
      return point instanceof Promise
        ? run(process.execPath, victim, point)
        : run(process.execPath, [...victim, JSON.stringify(point), ...(retry ? [retry] : [])])
    },
    tallyman: (...args) => run(launcher(), [...args, '--config', config]),
    ...inventory,
    forgive() {
      const journal = openJournal(journalFile)
      journal.releaseQuarantined(environment)
      journal.releaseBarred(environment)
      journal.close()
    },
    readJournal(read) {
      const journal = openJournal(journalFile, { readOnly: true })
      try {
        return read(journal)
      } finally {
        journal.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await engine.now()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return ground
}

async function put(path: string, content: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(content, null, 2))
}

function run(program: string, args: readonly string[], kill?: Promise<unknown>): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TALLYMAN_'))
  const env = { ...Object.fromEntries(own), NODE_COMPILE_CACHE: compileCache }
  return new Promise(resolve => {
    const child = execFile(program, args, { env, timeout: 60_000 }, (_, out, err) =>
      resolve({ code: child.exitCode, killed: child.signalCode === 'SIGKILL', out, err }),
    )
    child.stdin?.end()
    void kill?.then(() => child.kill('SIGKILL'))
  })
}
