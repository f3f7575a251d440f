import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { loadConfig } from '../../../lib/config.ts'
import { runDaemon } from '../../../lib/daemon/run.ts'
import { label } from '../../../lib/state/labels.ts'
import type { StatusDocument } from '../command/tallyman.ts'
import { createRepository, type Files, type Repository } from '../git/repository.ts'
import { silent } from '../memory/memory-daemon.ts'
import { httpCall } from '../network/http-call.ts'
import { waitUntil } from '../time/wait-until.ts'
import { type SimulatedEngine, simulatedEngine } from './engine.ts'
import { type SimulatedRegistry, simulatedRegistry } from './image/registry.ts'
import { type Clock, realClock } from './server/clock.ts'

/** A daemon in this process over a git repository and simulated engines, one for each site. */
export type SimulatedScene = AsyncDisposable & {
  /** Where images are pushed. Names in manifests are below its host. */
  readonly registry: SimulatedRegistry
  readonly repository: Repository
  /** Where the daemon keeps what it remembers. */
  readonly stateDir: string
  /** The engine of a site. */
  site(name: string): SimulatedEngine
  /** Commits the manifest of the environment `prod`, and other files, and asks for a pass. */
  commit(manifest: object, more?: Files): Promise<string>
  /** Asks the daemon as a command does: `POST /api/v1/suspend`. Throws the words of a refusal. */
  ask(request: string, given?: object): Promise<ReturnType<typeof JSON.parse>>
  /** Waits until the daemon shows this of its environment while no pass runs, and none is due. */
  until(what: string, check: (status: StatusDocument) => boolean): Promise<StatusDocument>
  /** What a site has of the environment: `web.1 registry.example.com/web:1 running healthy`, sorted. */
  has(site: string): readonly string[]
  /** Ends the daemon, and starts another with the same journal. */
  restart(): Promise<void>
}

export type SimulatedSceneOptions = {
  /** The names of the sites: one, `local`, unless it is said otherwise. */
  readonly sites?: readonly string[]
  /** What `tallyman.yaml` says of a site otherwise, by its name. */
  readonly siteConfig?: Readonly<Record<string, object>>
  /** The host of the registry, if it is another one. */
  readonly registryHost?: string
  /** What stands in `tallyman.yaml` otherwise. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The clock of all engines. The daemon has the time of this machine. */
  readonly clock?: Clock
}

/** Starts a daemon whose environment is `prod`. Its repository is empty at first. */
export async function simulatedScene(options: SimulatedSceneOptions = {}): Promise<SimulatedScene> {
  const { sites = ['local'], clock = realClock } = options
  await using stack = new AsyncDisposableStack()
  const registry = simulatedRegistry(options.registryHost)
  const engines = new Map<string, SimulatedEngine>()
  for (const name of sites) engines.set(name, stack.use(await simulatedEngine({ clock, registry })))
  const repository = stack.use(await createRepository())
  await repository.commit({ 'environments/prod/manifest.json': '{}' })
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-scene-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'tallyman.yaml')
  const config = {
    ...{ stateDir: join(directory, 'state'), repository: { url: repository.url }, environments: ['prod'] },
    ...{ registry: registry.host, healthyTime: '0s', poll: '1s', ingress: 'off' },
    sites: [...engines].map(([name, { endpoint }]) => ({ name, endpoint, ...options.siteConfig?.[name] })),
    ...options.config,
  }
  await writeFile(file, stringify(config))
  const ask = askOn(join(directory, 'state', 'control.sock'))
  let daemon = await startDaemon(file, ask)
  stack.defer(() => daemon.stop())
  const parts = stack.move()
  const site = (name: string) => {
    const engine = engines.get(name)
    if (engine === undefined) throw new Error(`there is no site ${name}`)
    return engine
  }
  return {
    ...{ registry, repository, site, ask, stateDir: join(directory, 'state') },
    async commit(manifest, more = {}) {
      const files = { 'environments/prod/manifest.json': JSON.stringify(manifest), ...more }
      const commit = await repository.commit(files)
      await ask('POST /api/v1/reconcile')
      return commit
    },
    async until(what, check) {
      let last: StatusDocument | undefined
      const look = async () => {
        last = await statusOf(ask)
        return isQuiet(last) && check(last) && last
      }
      return waitUntil(what, look).catch((cause: unknown) => {
        throw new Error(`${what}: the daemon says ${JSON.stringify(last, undefined, 2)}`, { cause })
      })
    },
    has: name => linesOf(site(name)),
    async restart() {
      await daemon.stop()
      daemon = await startDaemon(file, ask)
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A service of equal instances, each from an image of its own name: one for each tag. */
export function service(name: string, ...tags: readonly string[]): object {
  return { name, containers: tags.map(dockerTag => ({ dockerTag })) }
}

/** A pass that changed something is followed at once by one that verifies. */
function isQuiet({ running, lookedAt = '', next }: StatusDocument): boolean {
  return running === undefined && (next === undefined || next > lookedAt)
}

type Ask = SimulatedScene['ask']

/** The one place that knows how a daemon is started. */
async function startDaemon(file: string, ask: Ask): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  const ended = runDaemon(loadConfig({ config: file }, {}), silent, stopping.signal)
  const answers = waitUntil('the daemon answers', () => statusOf(ask).catch(() => undefined))
  await Promise.race([answers, ended.then(() => Promise.reject(new Error('the daemon ended')))])
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

async function statusOf(ask: Ask): Promise<StatusDocument> {
  const [status]: readonly StatusDocument[] = await ask('GET /api/v1/environments')
  if (status === undefined) throw new Error('the daemon has no environment')
  return status
}

function askOn(socketPath: string): Ask {
  return async (request, given) => {
    const [method = '', path = ''] = request.split(' ')
    const headers = { 'content-type': 'application/json' }
    const text = given === undefined ? undefined : JSON.stringify(given)
    const { status, body } = await httpCall({ socketPath, method, path, headers }, text)
    if (status >= 300) throw new Error(`${request}: ${status} ${body.toString()}`)
    return JSON.parse(body.toString())
  }
}

function linesOf(engine: SimulatedEngine): readonly string[] {
  return engine
    .containers()
    .filter(({ config }) => config.Labels[label.environment] === 'prod')
    .map(({ config: { Labels }, state, health }) => {
      const instance = `${Labels[label.service]}.${Labels[label.instance]}`
      const words = [instance, Labels[label.image], state.status, health?.status]
      return words.filter(word => word !== undefined).join(' ')
    })
    .sort()
}
