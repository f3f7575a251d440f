import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stringify } from 'yaml'
import { mostOpenFiles, tooFewFiles } from '../../lib/daemon/open-files.ts'
import { httpCall } from '../support/http-call.ts'
import { createRepository, type Files } from '../support/repository.ts'
import { type SimulatedEngine, simulatedEngine } from '../support/simulated/engine.ts'
import { simulatedRegistry } from '../support/simulated/registry.ts'
import { type ObservedDaemon, observedDaemon } from './observed-daemon.ts'

/** Simulated engines in this process, one for each site, and a daemon of its own process over all of them. */
export type ManySites = AsyncDisposable & {
  readonly daemon: ObservedDaemon
  readonly engines: readonly SimulatedEngine[]
  /** The file of its journal. */
  readonly journal: string
  /** Returns a check whether a pass over each site has ended since now. */
  passed(): () => boolean
  /** Commits the environment with its services, of which the first ones have the tag 2, and asks for a look. */
  commit(changed: number): Promise<void>
}

export type ManySitesOptions = {
  readonly sites: number
  readonly services: number
  /** Whether changes wait for an approval. */
  readonly asks: boolean
  /** If the first service has a deployment to all sites: how many of them change at the same time. */
  readonly sitesInParallel?: number
}

/** The service that has a deployment, if one has. */
export const deployedService = 's1'

/**
 * Starts a daemon over many sites that have everything already. The first site is deployed by a daemon of its own; the
 * others are copies of it.
 */
export async function manySites({
  sites,
  services,
  asks,
  sitesInParallel,
}: ManySitesOptions): Promise<ManySites> {
  // This process has the other ends of the connections of the daemon.
  const tooFew = tooFewFiles(sites, mostOpenFiles())
  if (tooFew !== undefined) throw new Error(tooFew)
  await using stack = new AsyncDisposableStack()
  const registry = simulatedRegistry()
  const names = Array.from({ length: services }, (_, index) => `s${index + 1}`)
  for (const name of names) for (const tag of ['1', '2']) registry.push(name, tag)
  const engines: SimulatedEngine[] = []
  const open = async () => engines.push(stack.use(await simulatedEngine({ registry })))
  await open()
  const repository = stack.use(await createRepository())
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-sites-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const start = async () => {
    const config = {
      ...{ stateDir: join(directory, 'state'), repository: { url: repository.url }, environments: ['prod'] },
      ...{ registry: registry.host, healthyTime: '0s', poll: '1h', ingress: 'off' },
      sites: engines.map(({ endpoint }, index) => ({ name: `site-${index + 1}`, endpoint })),
    }
    await writeFile(join(directory, 'tallyman.yaml'), stringify(config))
    return observedDaemon(directory, engines.length)
  }
  await repository.commit(filesOf(names, 0, false))
  {
    await using daemon = await start()
    const [first] = engines
    await daemon.during(
      async () => {},
      () => first?.containers().filter(({ state }) => state.status === 'running').length === services,
    )
  }
  const [first] = engines
  while (engines.length < sites) await open()
  for (const engine of engines.slice(1)) if (first !== undefined) await copy(first, engine)
  if (sitesInParallel !== undefined) await repository.commit(deploymentOf(sitesInParallel))
  if (asks) await repository.commit(filesOf(names, 0, true))
  const daemon = stack.use(await start())
  const file = join(directory, 'state', 'tallyman.sqlite')
  const journal = new DatabaseSync(file, { readOnly: true })
  stack.defer(() => journal.close())
  const parts = stack.move()
  return {
    daemon,
    engines,
    journal: file,
    passed: () => passedIn(journal, sites),
    async commit(changed) {
      await repository.commit(filesOf(names, changed, asks))
      await daemon.ask('POST /api/v1/reconcile')
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

function passedIn(journal: DatabaseSync, sites: number): () => boolean {
  const sinceMs = Date.now()
  const count = journal.prepare('SELECT count(*) AS sites FROM last_state WHERE seen_at >= ?')
  return () => count.get(sinceMs)?.['sites'] === sites
}

function filesOf(names: readonly string[], changed: number, asks: boolean): Files {
  const services = names.map((name, index) => ({
    name,
    containers: [{ dockerTag: index < changed ? '2' : '1' }],
  }))
  return { 'environments/prod/manifest.json': JSON.stringify({ skipConfirmation: !asks, services }) }
}

function deploymentOf(sitesInParallel: number): Files {
  const deployment = {
    name: deployedService,
    application: deployedService,
    placement: { 'all-sites': true },
    'deploy-to-sites': { 'sites-in-parallel': sitesInParallel },
  }
  return { [`deployments/${deployedService}.yaml`]: stringify(deployment) }
}

/** Makes the containers of one engine on another one that has nothing, with their images and networks. */
async function copy(from: SimulatedEngine, to: SimulatedEngine): Promise<void> {
  using callFrom = caller(from)
  using callTo = caller(to)
  for (const { RepoDigests } of await callFrom.call('GET /images/json'))
    for (const digest of RepoDigests) {
      const [fromImage, tag] = digest.split('@')
      await callTo.call(`POST /images/create?fromImage=${fromImage}&tag=${tag}`)
    }
  for (const { Name, Driver, Internal, Labels, Options } of await callFrom.call('GET /networks'))
    if (!['bridge', 'host', 'none'].includes(Name))
      await callTo.call('POST /networks/create', { Name, Driver, Internal, Labels, Options })
  for (const container of from.containers()) {
    await callTo.call(`POST /containers/create?name=${container.name}`, bodyOf(container))
    await callTo.call(`POST /containers/${container.name}/start`)
  }
}

/** Returns what was asked for when a container was created; what came from its id is left out. */
function bodyOf({
  id,
  config,
  hostConfig,
  endpoints,
}: ReturnType<SimulatedEngine['containers']>[number]): object {
  const { Hostname, ...own } = config
  const isGiven = (name: string) => !id.startsWith(name)
  const attached = [...endpoints].map(
    ([network, { aliases }]) => [network, { Aliases: aliases?.filter(isGiven) ?? null }] as const,
  )
  return {
    ...own,
    ...(isGiven(Hostname) ? { Hostname } : {}),
    HostConfig: hostConfig,
    NetworkingConfig: { EndpointsConfig: Object.fromEntries(attached) },
  }
}

/** Calls one engine over one connection. */
function caller({ socket }: SimulatedEngine): Disposable & {
  call(request: string, body?: object): Promise<ReturnType<typeof JSON.parse>>
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async call(request, body) {
      const [method = '', path = ''] = request.split(' ')
      const text = body === undefined ? undefined : JSON.stringify(body)
      const answer = await httpCall({ socketPath: socket, method, path, agent }, text)
      if (answer.status >= 300) throw new Error(`${request}: ${answer.status} ${answer.body.toString()}`)
      return method === 'GET' ? JSON.parse(answer.body.toString()) : undefined
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}
