import type { EngineName } from '../../../engine.ts'
import { catalogue } from '../../../errors/catalogue.ts'
import { Failure, toFailure } from '../../../errors.ts'
import type { Identity } from '../../../state/identity.ts'
import { linkedAbort } from '../../../wait/linked-abort.ts'
import { sleep } from '../../../wait/timer.ts'
import type { World } from '../../world.ts'
import { configuredSite, enginesBySite, isStillThere, type SiteWorld, sitesNow, sitesOf } from '../site.ts'
import { servedSite } from './served-site.ts'

/** How long all sites wait for those that do not say who they are, at the start and when a site is new. */
const graceMs = 2_000

/**
 * Asks all engines of an environment who they are, once, and again those that are not known when a site comes, so that it
 * does not depend on who answers first which of two sites is refused. Resolves when all have answered, and after two
 * seconds in any case: those that come later are asked again before they are looked at (G17). Nobody goes first: whoever
 * has not answered may be the same engine as any other one, and be the one that it is to be served as.
 */
export async function meetEngines(world: World, signal: AbortSignal): Promise<void> {
  const sites = sitesOf(world)
  if (!world.memory.engines.areNew(sites.map(({ engine }) => engine.site))) return
  const met = Promise.all(
    sites.map(site => world.pools.look(site.engine.site, () => meetEngine(site, signal))),
  )
  using over = linkedAbort(signal)
  const late = sleep(graceMs, over.signal).catch(() => undefined)
  await Promise.race([met, late])
  over.abort()
}

/**
 * Asks an engine for its identity, if there are several, or a pass still runs over one that is gone. Asks it again while
 * another site is the same engine: the address of one of them may have been corrected. Returns why it does not answer, if
 * it does not.
 */
export async function meetEngine(site: SiteWorld, signal: AbortSignal): Promise<Failure | undefined> {
  const { world, engine } = site
  const { engines, sites } = world.memory
  const known = engines.engineOf(engine.site)
  const isAlone = sites.count() === 1 && !engines.isAtWork()
  if (isAlone || (known !== undefined && engines.sitesOf(known).size === 1)) return undefined
  try {
    const told = await engine.info(signal)
    if (isStillThere(site)) engines.meet(engine.site, identityOf(told))
  } catch (error) {
    return toFailure(error)
  }
  return undefined
}

/** Machines that were copied from one image have engines with the same id, but different names. */
export function identityOf({ id, host }: EngineName): string {
  return host === undefined ? id : `${id} on ${host}`
}

/** Has the engine of a site that did not answer asked anew who it is: another one may answer there next. */
export function loseEngine(site: SiteWorld): void {
  if (!isStillThere(site)) return
  const { world, engine } = site
  const { engines } = world.memory
  const known = engines.engineOf(engine.site)
  // One of two sites that are one engine is asked each time. Until it says otherwise, the other one stays refused.
  if (known !== undefined && engines.sitesOf(known).size === 1) engines.lose(engine.site)
}

/**
 * Fails with `same-engine` if the engine is served as another site, because each would remove what the other creates.
 * That one may be gone by now, or show only late what it is: the site then waits, with `another-writer`, until the pass
 * that runs over the other one has ended. `writes`: the engine is this site's alone until what is returned is disposed
 * of.
 */
export function takeEngine(
  { world, engine }: SiteWorld,
  { environment }: Pick<Identity, 'environment'>,
  writes: boolean,
): Disposable {
  const { engines } = world.memory
  const engineId = engines.engineOf(engine.site)
  const free: Disposable = { [Symbol.dispose]: () => undefined }
  if (engineId === undefined) return free
  const served = servedNow(world, environment, engineId, engine.site)
  if (served !== undefined && served !== engine.site) throw sameEngine(served, engine.site, engineId)
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

/** Returns the failure of a site that is the engine of another one, which is served. */
export function sameEngine(served: string, site: string, engineId: string): Failure {
  return new Failure('same-engine', `sites: "${served}" and "${site}" are the same engine, ${engineId}`)
}

/** Returns as which site an engine is served. One that nothing else leads to is not looked up again and again. */
function servedNow(world: World, environment: string, engineId: string, site: string): string | undefined {
  const { engines } = world.memory
  const met = engines.sitesOf(engineId)
  if (met.size < 2 && engines.isServedAs(engineId, site)) return site
  const before = world.journal.servedAs(environment, engineId)
  return servedSite(sitesNow(world), met, before, name => engines.engineOf(name) !== undefined)
}

/**
 * Records as which site the engine of a site is served, which this process writes to. Where a site was another engine by
 * another endpoint, what is on record of it is put aside: nothing was ever brought about on this engine, so what lacks
 * there is no drift, and asks (G2).
 */
export function recordServed(here: SiteWorld, { environment }: Pick<Identity, 'environment'>): void {
  if (!isStillThere(here)) return
  const { world, engine } = here
  const { site } = engine
  const { journal } = world
  const { engines } = world.memory
  const engineId = engines.engineOf(site)
  if (engineId === undefined || engines.isServedAs(engineId, site)) return
  // A pass that still ends is over an engine that no longer is that site.
  if (enginesBySite(world.engines).get(site) !== engine) return
  const { endpoint = '' } = configuredSite(world, site) ?? {}
  const former = journal.servedAs(environment, engineId)
  if (former?.site !== site || former.endpoint !== endpoint) {
    const before = journal.engineServed(environment, site)
    const isMoved = before !== undefined && before.engine !== engineId && before.endpoint !== endpoint
    journal.atOnce(() => {
      if (isMoved) journal.putAside(environment, site)
      // Two sites may have exchanged their endpoints.
      if (former !== undefined && former.site !== site) journal.putAside(environment, former.site)
      journal.setServed(environment, engineId, { site, endpoint })
    })
  }
  engines.noteServed(engineId, site)
}
