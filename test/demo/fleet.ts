import { startSecondEngine } from '../support/dockerd.ts'

/** A Docker Engine with the name and the labels under which the configuration knows it. */
export type FleetSite = {
  readonly name: string
  readonly endpoint: string
  readonly labels?: Readonly<Record<string, string>>
}

export type Fleet = AsyncDisposable & { readonly sites: readonly FleetSite[] }

const stores = ['north', 'south', 'west'] as const

/**
 * Starts three engines beside the one that runs: four sites of one fleet. The one that runs is `lab`, which has a label
 * of that name. Throws if this is not run by root, whom a Docker Engine needs. Disposing of it ends the three engines
 * with all that is on them.
 */
export async function startFleet(dockerSocket: string): Promise<Fleet> {
  if (process.getuid?.() !== 0)
    throw new Error('--fleet starts three more Docker Engines, and only root can do that.')
  await using stack = new AsyncDisposableStack()
  const started = await Promise.allSettled(stores.map(startStore))
  const engines = started.flatMap(one => (one.status === 'fulfilled' ? [stack.use(one.value)] : []))
  const failed = started.find(one => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const parts = stack.move()
  return {
    sites: [
      { name: 'lab', endpoint: `unix://${dockerSocket}`, labels: { lab: 'true' } },
      ...engines.map(({ name, socket }) => ({ name, endpoint: `unix://${socket}` })),
    ],
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

async function startStore(name: string) {
  return { name, ...(await startSecondEngine()) }
}
