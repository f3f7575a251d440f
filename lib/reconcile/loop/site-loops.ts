import type { Engine } from '../../engine.ts'
import { toFailure } from '../../errors.ts'
import { linkedAbort } from '../../wait/linked-abort.ts'
import type { Waking } from '../concurrency/waking.ts'
import { isSameWanted, type Wanted } from '../repository/desired.ts'
import { recordGone } from '../repository/record-gone.ts'
import { hindrancesIn } from '../site/result/pass-result.ts'
import { enginesBySite, type SiteWorld, sitesOf } from '../site/site.ts'
import { giveUp } from '../site/writer/become-writer.ts'
import type { World } from '../world.ts'
import { createLeaving } from './leaving.ts'
import { type SiteLoop, startSiteLoop } from './site/site-loop.ts'
import type { LoopOptions, Offer } from './site/site-loop-state.ts'
import { isForAll, type Trigger, triggerOf, type Why } from './trigger.ts'

/** The loops of the sites of one environment. Each begins with the first offer to its site. */
export type SiteLoops = {
  /** Those of the sites that are there, by name. */
  readonly bySite: ReadonlyMap<string, SiteLoop>
  /**
   * Offers what is wanted to all sites. If it was looked again before the interval was over, or because of a word about
   * a deployment, a site makes a pass only if something is new. `turned`: those whose turn has come, or for which a
   * deployment changed otherwise.
   */
  offer(offer: Offer, why: Why, turned: ReadonlySet<string>): void
  /**
   * Ends the loops of sites that are gone: the operator took them out, or gave them another engine, or the environment
   * is another one now, which they do not run. Does nothing if that was done since the sites were configured.
   */
  leaveGone(environment: string): void
  /** Whether all sites, or those of them that are named, have dealt with what a look found. */
  haveDealt(look: number, only?: readonly string[]): boolean
  /** Resolves when all that there are, and all that left, have ended after their signal aborted. Never rejects. */
  ended(): Promise<void>
}

export type SiteLoopsOptions = LoopOptions & {
  readonly waking: Waking
  /** Told why a loop failed. */
  readonly onFailed: (error: unknown) => void
  /** Told that what is on record of sites that went could not be settled: it is done by the next look. */
  readonly onUnsettled: () => void
}

/** The environment and its sites for which those that are gone were left. */
type Settled = { readonly environment: string } & Pick<World, 'engines'> & Pick<World['config'], 'sites'>

/** How the loop of a site is ended whose site is gone, and what it gives up afterwards. */
type Ending = {
  readonly engine: Engine
  readonly leave: () => void
  readonly giveUp: () => Promise<void>
}

/** Creates the loops of no site yet. */
export function createSiteLoops(world: World, options: SiteLoopsOptions): SiteLoops {
  const { signal, waking, onFailed, onUnsettled } = options
  const sites = new Map<string, SiteLoop & Ending>()
  /** What the sites have now. */
  let handedOver: Wanted | undefined
  /** What was settled last of the sites that are gone; undefined: it is to be settled anew. */
  let settled: Settled | undefined
  /** The sites that have not dealt yet with the look that was asked about last. */
  let waitedFor: { readonly look: number; readonly left: SiteLoop[] } | undefined

  const isHere = (name: string, { engine }: Ending) => enginesBySite(world.engines).get(name) === engine

  const isGone = (name: string) => {
    const loop = sites.get(name)
    return loop !== undefined && !isHere(name, loop)
  }

  const leaving = createLeaving(
    // What a loop records until it has ended is about the engine that it was begun with.
    (environment, isEnding) => recordGone(world, environment, name => isEnding(name) || isGone(name)),
    {
      steadyMs: world.steadyMs,
      onUnsettled(error) {
        settled = undefined
        const { message, code, hint } = toFailure(error)
        world.log.error(`what is on record of sites that went cannot be settled: ${message}`, { code, hint })
        onUnsettled()
      },
    },
  )

  /** Returns what lets the first pass begin. */
  const begin = (site: SiteWorld, first: Offer, trigger: Trigger): (() => void) => {
    const { engine } = site
    const { signal: left, abort: leave } = linkedAbort(signal)
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
    const after = woken.then(() => leaving.after(engine.site, left))
    const loop = startSiteLoop(site, first, trigger, { ...options, signal: left, after })
    loop.ended.catch(onFailed)
    sites.set(engine.site, { ...loop, engine, leave, giveUp: () => giveUp(site) })
    return wake
  }

  return {
    bySite: sites,
    offer(offer, why, turned) {
      const trigger = triggerOf(why)
      const isNews = isForAll(why) || handedOver === undefined || !isSameWanted(offer.wanted, handedOver)
      handedOver = offer.wanted
      // Where something went wrong, whoever says a word about a deployment wants it tried again.
      const isDue = (name: string, loop: SiteLoop) =>
        isNews || turned.has(name) || (why === 'deployment' && isTroubled(loop))
      // What is wanted and whose turn it is belong together, so it is handed over to all before the first is woken.
      const wakes = sitesOf(world).flatMap(site => {
        const name = site.engine.site
        const known = sites.get(name)
        if (known === undefined) return begin(site, offer, trigger)
        if (isDue(name, known)) return known.offer(offer, trigger) ?? []
        known.adopt(offer)
        return []
      })
      waking(wakes)
    },
    leaveGone(environment) {
      const now: Settled = { environment, engines: world.engines, sites: world.config.sites }
      if (isSame(now, settled)) return
      for (const [name, loop] of sites) {
        if (isHere(name, loop)) continue
        loop.leave()
        leaving.leave(
          name,
          loop.ended.then(loop.giveUp).catch(() => undefined),
        )
        sites.delete(name)
        world.memory.forget(name)
        waitedFor = undefined
      }
      leaving.settle(environment)
      settled = now
    },
    haveDealt(look, only) {
      const hasDealt = (site: SiteLoop | undefined) => site === undefined || site.state().look >= look
      if (only !== undefined) return only.every(name => hasDealt(sites.get(name)))
      // It is asked after each pass, so a site that is settled is not asked again.
      if (waitedFor?.look !== look) waitedFor = { look, left: [...sites.values()] }
      const { left } = waitedFor
      while (left.length > 0 && hasDealt(left.at(-1))) left.pop()
      return left.length === 0
    },
    async ended() {
      await Promise.allSettled([leaving.ended(), ...[...sites.values()].map(site => site.ended)])
    },
  }
}

function isSame(one: Settled, other: Settled | undefined): boolean {
  return one.environment === other?.environment && one.engines === other.engines && one.sites === other.sites
}

/**
 * Whether no pass has come to its end over a site, or something went wrong there. That it does not answer is no trouble
 * that a word about a deployment ends: it has pauses of its own.
 */
function isTroubled({ state, isResting }: SiteLoop): boolean {
  const { last } = state()
  if (last === undefined || last.errors.length > 0) return true
  return hindrancesIn(last).length > 0 && !isResting()
}
