import type { EngineName } from '../../../engine.ts'
import { catalogue } from '../../../errors/catalogue.ts'
import { Failure, toFailure } from '../../../errors.ts'
import { linkedAbort } from '../../../linked-abort.ts'
import { sleep } from '../../../timer.ts'
import type { World } from '../../world.ts'
import { type SiteWorld, sitesOf } from '../site.ts'

/** How long the other sites wait at the start for those that come before them in the configuration. */
const graceMs = 2_000

/**
 * Asks all engines of an environment who they are, once, and again those that are not known when a site comes, so that it does not depend on who answers first which of two
 * sites is refused. Resolves when all have answered, and after two seconds in any case: those that come later are asked
 * again before they are looked at (G17).
 */
export async function meetEngines(world: World, signal: AbortSignal): Promise<void> {
  const sites = sitesOf(world)
  if (!world.memory.engines.areNew(sites.map(({ engine }) => engine.site))) return
  const met = Promise.all(
    sites.map(site => world.queue.look(site.engine.site, () => meetEngine(site, signal))),
  )
  using over = linkedAbort(signal)
  const late = sleep(graceMs, over.signal).catch(() => undefined)
  await Promise.race([met, late])
  over.abort()
}

/**
 * Asks an engine for its identity, if there are several. Asks it again while another site is the same engine: the
 * address of one of them may have been corrected. Returns why it does not answer, if it does not.
 */
export async function meetEngine(
  { world, engine }: SiteWorld,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { engines, sites } = world.memory
  const known = engines.engineOf(engine.site)
  if (sites.count() === 1 || (known !== undefined && engines.sitesOf(known).size === 1)) return undefined
  try {
    engines.meet(engine.site, identityOf(await engine.info(signal)))
  } catch (error) {
    return toFailure(error)
  }
  return undefined
}

/** Machines that were copied from one image have engines with the same id, but different names. */
export function identityOf({ id, host }: EngineName): string {
  return `${id} on ${host}`
}

/** Has the engine of a site that did not answer asked anew who it is: another one may answer there next. */
export function loseEngine({ world, engine }: SiteWorld): void {
  const { engines } = world.memory
  const known = engines.engineOf(engine.site)
  // One of two sites that are one engine is asked each time. Until it says otherwise, the other one stays refused.
  if (known !== undefined && engines.sitesOf(known).size === 1) engines.lose(engine.site)
}

/**
 * Fails with `same-engine` if a site that comes first in the configuration is the same engine, because each would
 * remove what the other creates. That may show only when the first one answers at last: it then waits, with
 * `another-writer`, until the pass that runs over the other one has ended. `writes`: the engine is this site's alone
 * until what is returned is disposed of.
 */
export function takeEngine({ world, engine }: SiteWorld, writes: boolean): Disposable {
  const { engines } = world.memory
  const engineId = engines.engineOf(engine.site)
  const free: Disposable = { [Symbol.dispose]: () => undefined }
  if (engineId === undefined) return free
  const twins = engines.sitesOf(engineId)
  const first = twins.size < 2 ? engine.site : world.engines.find(({ site }) => twins.has(site))?.site
  if (first !== undefined && first !== engine.site)
    throw new Failure(
      'same-engine',
      `sites: "${first}" and "${engine.site}" are the same engine, ${engineId}`,
    )
  if (!writes) return free
  const other = engines.take(engineId, engine.site)
  if (other !== undefined)
    throw new Failure(
      'another-writer',
      `sites: "${engine.site}" and "${other}" are the same engine, ${engineId}, and a pass over ${other} still runs`,
      { hint: catalogue['same-engine'].hint },
    )
  return { [Symbol.dispose]: () => engines.free(engineId) }
}
