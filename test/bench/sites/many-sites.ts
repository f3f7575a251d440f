import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stringify } from 'yaml'
import { mostOpenFiles, tooFewFiles } from '../../../lib/daemon/open-files.ts'
import { createRepository, type Files } from '../../support/git/repository.ts'
import { httpCall } from '../../support/network/http-call.ts'
import type { Engines } from '../engine/engines-here.ts'
import { type ObservedDaemon, observedDaemon } from './observed-daemon.ts'

/** Simulated engines, one for each site, and a daemon of its own process over all of them. */
export type ManySites<E> = AsyncDisposable & {
  readonly daemon: ObservedDaemon
  readonly engines: readonly E[]
  /** The file of its journal. */
  readonly journal: string
  /** Returns a check whether a pass over each site has ended since now. */
  passed(): () => boolean
  /** Commits the environment with its services, of which the first ones have the tag 2, and asks for a look. */
  commit(changed: number): Promise<void>
}

export type ManySitesOptions<E> = {
  /** Prepares engines that can pull these images. */
  readonly engines: (images: readonly string[]) => Engines<E>
  readonly sites: number
  readonly services: number
  /** Whether changes wait for an approval. */
  readonly asks: boolean
  /** If the first service has a deployment to all sites: how many of them change at the same time. */
  readonly sitesInParallel?: number
  /** Whether every site has an upgrade window, which opens in three days, so that upgrades wait in their queues. */
  readonly hasWindows?: boolean
}

/** The service that has a deployment, if one has. */
export const deployedService = 's1'

/**
 * Starts a daemon over many sites that have everything already. The first site is deployed by a daemon of its own; the
 * others are copies of it.
 */
export async function manySites<E extends { readonly socket: string; readonly endpoint: string }>({
  engines: prepare,
  sites,
  services,
  asks,
  sitesInParallel,
  hasWindows = false,
}: ManySitesOptions<E>): Promise<ManySites<E>> {
  const tooFew = tooFewFiles({ environments: 1, sites, loops: sites }, mostOpenFiles())
  if (tooFew !== undefined) throw new Error(tooFew)
  await using stack = new AsyncDisposableStack()
  const names = Array.from({ length: services }, (_, index) => `s${index + 1}`)
  const group = stack.use(prepare(names))
  let engines = await group.open(1)
  const repository = stack.use(await createRepository())
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-sites-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const sitesDirectory = join(directory, 'sites')
  await mkdir(sitesDirectory)
  const start = async () => {
    for (const [index, { endpoint }] of engines.entries())
      await writeFile(
        join(sitesDirectory, `site-${index + 1}.yaml`),
        stringify({ endpoint, ...(hasWindows ? { profiles: ['weekly'] } : {}) }),
      )
    const day = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toLocaleDateString('en', { weekday: 'long' })
    const windows = [{ daysOfWeek: day, startTime: '02:00', timezone: 'UTC', duration: '3h' }]
    const config = {
      ...(hasWindows ? { siteProfiles: { weekly: { windows } } } : {}),
      ...{ stateDir: join(directory, 'state'), repository: { url: repository.url }, environments: ['prod'] },
      ...{ registry: 'registry.example.com', healthyTime: '0s', poll: '1h', ingress: 'off' },
      sitesDirectory,
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
      async () => first !== undefined && (await running(first.socket)) === services,
    )
  }
  engines = await group.open(sites - 1, await group.recipe())
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

/** How many containers run on an engine. */
async function running(socketPath: string): Promise<number> {
  const { body } = await httpCall({ socketPath, method: 'GET', path: '/containers/json' })
  return JSON.parse(body.toString()).length
}
