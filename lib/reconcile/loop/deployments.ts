import { toFailure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { later, type Timer } from '../../wait/timer.ts'
import { advanceAll } from '../fleet/advance-all.ts'
import { effectsOf, isSameEffect, type SiteEffect, withoutWhy } from '../fleet/site-effect.ts'
import { lastUnready } from '../fleet/sites/kept-sites.ts'
import type { World } from '../world.ts'
import { longestWaitMs, nextDelayMs } from './next-delay.ts'

/** Brings the deployments of an environment on whenever something may have happened that they wait for. */
export type DeploymentLoop = {
  /**
   * Brings them on with what is wanted from now on. Returns the sites whose turn has come, or for which something else
   * changed.
   */
  advance(desired: DesiredState): ReadonlySet<string>
  /** A pass has ended, which may have found something that a deployment waits for. */
  told(): void
  /** Ends the wait for the end of a healthy time, or for a window. */
  end(): void
}

/**
 * How long what nothing depends on waits for what else happens. A look takes the longer the more sites there are, so it
 * waits for ten times as long as the last one took.
 */
const rest = { leastMs: 250, mostMs: 1_000, looks: 10 }

const none: readonly SiteEffect[] = []

/**
 * `onTurn` is told such sites if a pass or the time brought the deployments on. What fails is tried again: whatever was
 * waited for is still to be heeded then. `random`: between 0 and 1, for the pauses between.
 */
export function followDeployments(
  world: World,
  random: () => number,
  onTurn: (sites: readonly string[]) => void,
): DeploymentLoop {
  let wanted: DesiredState | undefined
  let timer: Timer | undefined
  let isDue = false
  /** How often in a row they could not be brought on. */
  let failures = 0
  /** Runs while there are only news that are for later. */
  let resting: Timer | undefined
  let restMs = rest.leastMs
  /** What the deployments meant for each site when it was last told. */
  const told = new Map<string, readonly SiteEffect[]>()
  const advance = (desired: DesiredState): readonly string[] => {
    if (wanted === undefined)
      for (const { application, site } of lastUnready(world, desired))
        world.memory.fleet.readiness.set(application, site, false)
    wanted = desired
    timer?.cancel()
    resting?.cancel()
    resting = undefined
    world.memory.fleet.news.take()
    try {
      const beganMs = world.steadyMs()
      const nextMs = advanceAll(world, desired, 'watch')
      const lookMs = world.steadyMs() - beganMs
      restMs = Math.min(rest.mostMs, Math.max(rest.leastMs, lookMs * rest.looks))
      if (nextMs !== undefined)
        timer = later(Math.min(Math.max(0, nextMs - world.nowMs()), longestWaitMs), again)
    } catch (error) {
      failures += 1
      world.memory.fleet.news.note('due')
      timer = later(nextDelayMs({ pollMs: undefined, failures, random: random() }) ?? 0, again)
      throw error
    }
    failures = 0
    return changed()
  }
  /**
   * Returns the sites for which the deployments mean something else than before. Where a version waits quietly, a stop of
   * its deployment means nothing: nobody looks at a thousand sites because of a failure on one. Neither does it where
   * nobody answers: what such a site missed is told once it does.
   */
  const changed = () => {
    const { fleet } = world.memory
    const effectOn = effectsOf(fleet.turns.all(), fleet.waiting.heldBackMs)
    const sites: string[] = []
    for (const { site } of world.engines) {
      const before = told.get(site) ?? none
      const now = effectOn(site)
      if (before === now) continue
      const isQuiet = (application: string, version: string) =>
        fleet.waiting.isQuiet(application, site, version)
      if (isSameEffect(before, now, isQuiet)) continue
      const isUnheard = fleet.readiness.isSilent(site) && isSameEffect(before, now, () => true)
      told.set(site, isUnheard ? withoutWhy(now) : now)
      if (!isUnheard) sites.push(site)
    }
    return sites
  }
  const again = () => {
    isDue = false
    if (wanted === undefined) return
    try {
      const sites = advance(wanted)
      if (sites.length > 0) onTurn(sites)
    } catch (error) {
      // It is tried again after a pause, and before that by the next pass that ends, or the next look at the repository.
      const { message, code, hint } = toFailure(error)
      world.log.error(`the deployments could not go on: ${message}`, { code, hint })
    }
  }
  return {
    advance: desired => new Set(advance(desired)),
    told() {
      const news = world.memory.fleet.news.take()
      // Passes over many sites end at the same time: one look is enough for all of them.
      if (news === undefined || isDue) return
      if (news === 'later') {
        resting ??= later(restMs, again)
        return
      }
      isDue = true
      setImmediate(again)
    },
    end() {
      wanted = undefined
      timer?.cancel()
      resting?.cancel()
    },
  }
}
