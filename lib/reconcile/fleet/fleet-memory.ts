import { createWindowClock, type WindowClock } from '../../fleet/window/window-clock.ts'
import type { DeploymentRun, RunFact } from '../../state/fleet/run.ts'
import { createFleetNews, type FleetNews } from './memory/fleet-news.ts'
import { type Clock, createCountedFacts, type FactRecords } from './memory/known-facts.ts'
import { createKnownTurns, type KnownTurns } from './memory/known-turns.ts'
import { createReadiness, type Readiness } from './memory/readiness.ts'
import { createRunLooks, type RunLooks } from './memory/run-looks.ts'
import { createSeenSites, type SeenSites } from './memory/seen-sites.ts'
import { createWaitingOnSites, type WaitingOnSites } from './memory/waiting-on-sites.ts'
import type { DeploymentTurn } from './turns.ts'

/**
 * What a process remembers of the deployments of an environment. Losing it costs only time. Each part changes itself. What
 * concerns several of them is here:
 *
 * - All times that any of them remembers go by the steady clock, whatever the time of day is set to (decision 0050).
 * - Where the deployments stand says what they wait for, and of which runs something is still remembered.
 * - Who has reached a version, and whether sites can go on, is news: the parts that know it tell `news`.
 */
export type FleetMemory = {
  readonly windows: WindowClock
  readonly turns: KnownTurns
  readonly readiness: Readiness
  readonly waiting: WaitingOnSites
  readonly seen: SeenSites
  readonly looks: RunLooks
  readonly news: FleetNews
  /** Notes where each deployment stands after all of them were advanced. */
  setTurns(turns: readonly DeploymentTurn[]): void
  /**
   * Notes what both clocks show. If the time of day was set since that was noted last, all times that are remembered are
   * moved with it.
   */
  noteClock(clock: Clock): void
  /**
   * Returns what happened in a run, as it is known now, without what says nothing any more, and at times that count (see
   * `createCountedFacts`). Notes the clock, too.
   */
  facts(run: DeploymentRun, records: FactRecords): readonly RunFact[]
  /** Forgets a site, which is gone or has another engine now: what was found on the former one says nothing of it. */
  forget(site: string): void
}

/** Creates the memory of an environment of which no deployment was read yet. */
export function createFleetMemory(): FleetMemory {
  const news = createFleetNews()
  const [turns, readiness] = [createKnownTurns(news), createReadiness(news)]
  const [waiting, seen, looks] = [createWaitingOnSites(), createSeenSites(), createRunLooks()]
  const known = createCountedFacts()
  const noteClock = (clock: Clock) => {
    const byMs = known.noteClock(clock)
    if (byMs !== 0) for (const timed of [turns, waiting, seen, looks]) timed.putForward(byMs)
  }
  return {
    windows: createWindowClock(),
    ...{ turns, readiness, waiting, seen, looks, news },
    setTurns(now) {
      turns.set(now)
      news.awaits(now)
      known.forgetUnasked()
      looks.forgetOthers(now.flatMap(({ run }) => run?.of ?? []))
    },
    noteClock,
    facts(run, records) {
      noteClock(records)
      return known.of(run, records)
    },
    forget(site) {
      for (const part of [readiness, waiting, seen, looks]) part.forget(site)
    },
  }
}
