import { createTallyman, type Tallyman } from '../support/command/tallyman.ts'
import { cleanUp } from '../support/engine/clean-up.ts'
import { startSecondEngine } from '../support/engine/dockerd.ts'
import { createRepository, type Repository } from '../support/git/repository.ts'
import { pushImage } from '../support/images/images.ts'
import type { RegistryAddress } from '../support/images/registry.ts'

/** A Docker Engine with the name and the labels under which the configuration knows it. */
export type FleetSite = {
  readonly name: string
  readonly endpoint: string
  readonly labels?: Readonly<Record<string, string>>
}

/** Four sites, a repository without a commit, and tallyman configured for both. */
export type Fleet = AsyncDisposable & {
  readonly sites: readonly FleetSite[]
  readonly environment: string
  readonly repository: Repository
  readonly tallyman: Tallyman
}

/** The two versions of the image `shop`: the second one exits as soon as it is started. */
export const shopVersions = ['1.0.0', '1.1.0'] as const

/** Where the fleet gets its first engine and its images, and what its environment is called. */
export type FleetOptions = {
  readonly dockerSocket: string
  readonly registry: RegistryAddress
  readonly environment: string
}

const stores = ['north', 'south', 'west'] as const

/**
 * Starts three engines beside the one that runs: four sites of one fleet. The one that runs is `lab`, which has a label
 * of that name. Throws if this is not run by root, whom a Docker Engine needs. Disposing of it ends the three engines
 * with all that is on them, and removes the environment from the first one.
 */
export async function startFleet({ dockerSocket, registry, environment }: FleetOptions): Promise<Fleet> {
  if (process.getuid?.() !== 0)
    throw new Error('--fleet starts three more Docker Engines, and only root can do that.')
  await using stack = new AsyncDisposableStack()
  const sites = [
    { name: 'lab', endpoint: `unix://${dockerSocket}`, labels: { lab: 'true' } },
    ...(await startStores(stack)),
  ]
  stack.use(cleanUp(dockerSocket, environment))
  const [good, bad] = shopVersions
  await pushImage(registry, 'shop', good)
  await pushImage(registry, 'shop', bad, { cmd: ['sh', '-c', 'echo no umbrellas; exit 3'] })
  const repository = stack.use(await createRepository())
  const config = {
    repository: { url: repository.url },
    registry: registry.host,
    healthyTime: '500ms',
    poll: '1s',
    // Its ports are the host's.
    ingress: 'off',
    sites,
  }
  const tallyman = stack.use(await createTallyman(config, dockerSocket))
  const parts = stack.move()
  return { sites, environment, repository, tallyman, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** Starts them side by side. If one does not come up, those that did end with the stack. */
async function startStores(stack: AsyncDisposableStack): Promise<readonly FleetSite[]> {
  const started = await Promise.allSettled(stores.map(startStore))
  const engines = started.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  for (const { engine } of engines) stack.use(engine)
  const failed = started.find(one => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return engines.map(({ name, engine }) => ({ name, endpoint: `unix://${engine.socket}` }))
}

async function startStore(name: string) {
  return { name, engine: await startSecondEngine() }
}
