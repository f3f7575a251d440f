import { standAhead } from '../../fleet/strategy/clock-set.ts'
import { createWindowClock, type WindowClock } from '../../fleet/window/window-clock.ts'
import type { DeploymentRun, RunFact } from '../../state/fleet/run.ts'
import type { ApplicationStatus } from '../status/application/application-status.ts'
import { type Clock, createCountedFacts, type FactRecords } from './known-facts.ts'
import { type DeploymentTurn, onSite, type SiteTurns, spreadingOn } from './turns.ts'

/** What a process remembers of the deployments of an environment. Losing it costs only time. */
export type FleetMemory = {
  readonly windows: WindowClock
  /** Where each deployment stood when it was last advanced. */
  turns(): readonly DeploymentTurn[]
  setTurns(turns: readonly DeploymentTurn[]): void
  /** Notes whether this process moved the deployments when they were last looked at. */
  setMoves(moves: boolean): void
  moves(): boolean
  /** What the deployments mean for a site. */
  onSite(site: string): SiteTurns
  /** The applications of which a version spreads, or proves itself, on sites of which this is one. */
  spreadingOn(site: string): ReadonlySet<string>
  /**
   * Notes what both clocks show. If the time of day was set since that was noted last, all times that are remembered are
   * moved with it, so that healthy times and deadlines go by the steady clock (decision 0050).
   */
  noteClock(clock: Clock): void
  /**
   * Returns what happened in a run, as it is known now, without what says nothing any more, and at times that count (see
   * `createCountedFacts`). Notes the clock, too.
   */
  facts(run: DeploymentRun, records: FactRecords): readonly RunFact[]
  /**
   * Notes whether a site could go on with an application now. That is news for later, unless it was the last one that a run
   * waited for, and can no longer.
   */
  setReady(application: string, site: string, isReady: boolean): void
  /**
   * Notes that the windows of a site are closed, so that it is not ready, or no longer. What is found out of whether it
   * could go on takes the place of that.
   */
  setClosed(application: string, site: string, isClosed: boolean): void
  /** Returns the sites of which that is noted. */
  closed(application: string): readonly string[]
  /** Notes whether another process writes to a site, so that it is not ready for this one. That is news for later. */
  setTheirs(site: string, isTheirs: boolean): void
  /** Notes whether a site answered when it was last asked. That is news for later. */
  setSilent(site: string, isSilent: boolean): void
  isSilent(site: string): boolean
  /** Whether passes of this process see a site: it is not known to be silent, or to be written by somebody else. */
  isSeen(site: string): boolean
  /**
   * Notes that a version waits for its turn on a site, and that nothing else there depends on why it does; undefined: it
   * does not wait, or something depends on it. Returns whether something does that did not before.
   */
  setQuiet(application: string, site: string, version: string | undefined): boolean
  isQuiet(application: string, site: string, version: string): boolean
  /**
   * Notes whether a change without a new version waits on a site because the deployment is paused, which was found at a
   * time.
   */
  setHeldBack(application: string, site: string, isHeldBack: boolean, atMs: number): void
  /** Returns since when one waits; undefined: none does. */
  heldBackMs(application: string, site: string): number | undefined
  /** Whether a site has reached the version of the run of an application. */
  hasReached(application: string, site: string): boolean
  /**
   * Notes that it has. That is news once the last of the sites has that the run waits for, so that a batch is not looked
   * at again for each of its sites. If it waits for none, because it was stopped, nothing depends on it.
   */
  noteReached(application: string, site: string): void
  /**
   * Notes that a site was looked at, for which a run may wait. That, too, is news once the last of them was.
   */
  noteLooked(application: string, site: string): void
  /**
   * Notes that a pass judged a run on a site, as it looked at it then, in ms since 1970. It is forgotten once nothing is
   * known of the run, because its deployment or its version cannot be told: what happens meanwhile, nobody judges.
   */
  setLooked(run: DeploymentRun, site: string, atMs: number): void
  /** Returns when that was noted last; undefined: not since this process began, or since it was forgotten. */
  lookedMs(run: DeploymentRun, site: string): number | undefined
  /** Notes what a pass found that saw a site then, in ms since 1970. */
  setSeen(site: string, seen: SeenOnSite, atMs: number): void
  /**
   * Notes that applications are about to be changed on a site: what was seen of them says nothing any more.
   * @param besideMs since when, in ms since 1970, if that is beside a pass: then it stays noted when that ends, which has
   * seen them earlier
   */
  setChanging(site: string, applications: readonly string[], besideMs?: number): void
  /** Whether that was noted of one since it was seen. */
  isChanged(site: string, application: string): boolean
  /** Returns what was last seen on a site; undefined: only the journal knows. */
  seen(site: string): SeenOnSite | undefined
  /** Notes that something happened that a deployment may wait for. */
  noteNews(when: WhenToLook): void
  /** Returns what did since it was asked last; undefined: nothing. */
  takeNews(): WhenToLook | undefined
  /** A site that nobody has looked at counts as ready, unless it was not when it was last seen. */
  isReady(application: string, site: string): boolean
}

/**
 * `due`: a deployment may go on now, or may not. `later`: what else happens soon may be seen with it. Each look goes
 * through all sites, so that what happens to many of them at the same time has to be for later.
 */
export type WhenToLook = 'due' | 'later'

/** What is known of the applications on a site, and in which contents they were last in place there. */
export type SeenOnSite = {
  readonly applications: readonly ApplicationStatus[]
  readonly contents?: Readonly<Record<string, string>>
  /** The applications that were changed since they were seen, or are being changed; absent: none. */
  readonly changed?: readonly string[]
}

/** Creates the memory of an environment of which no deployment was read yet. */
export function createFleetMemory(): FleetMemory {
  let turns: readonly DeploymentTurn[] = []
  let doesMove = false
  const known = createCountedFacts()
  const unready = new Map<string, Set<string>>()
  const closed = new Map<string, Set<string>>()
  const silent = new Set<string>()
  const theirs = new Set<string>()
  const seen = new Map<string, SeenOnSite>()
  /** By run and site: when a pass judged the run there last. */
  const looked = new Map<number, Map<string, number>>()
  /**
   * By site: the applications that were changed since they were seen, or are being changed; and since when, if that is
   * beside a pass.
   */
  const changed = new Map<string, ReadonlyMap<string, number>>()
  /** By application and site: the version that waits there quietly. */
  const quiet = new Map<string, Map<string, string>>()
  /** By application and site: since when a change without a new version waits there. */
  const heldBack = new Map<string, Map<string, number>>()
  /** By application: the sites that have reached its version since the deployments were advanced. */
  let reached = new Map<string, Set<string>>()
  /** By application: the sites of the last batch that are on their way. */
  let onTheirWay = new Map<string, Set<string>>()
  /** By application: the sites that have to be looked at once more. */
  let toLookAt = new Map<string, Set<string>>()
  let news: WhenToLook | undefined
  const noteNews = (when: WhenToLook) => {
    news = news === 'due' ? news : when
  }
  const noteLater = (isNews: boolean) => {
    if (isNews) noteNews('later')
  }
  const noteClock = (clock: Clock) => {
    const byMs = known.noteClock(clock)
    if (byMs === 0) return
    turns = turns.map(turn =>
      turn.run === undefined
        ? turn
        : { ...turn, run: { ...turn.run, stand: standAhead(turn.run.stand, byMs) } },
    )
    for (const sites of looked.values()) for (const [site, ms] of sites) sites.set(site, ms + byMs)
    for (const [site, since] of changed)
      changed.set(site, new Map([...since].map(([name, ms]) => [name, ms === 0 ? 0 : ms + byMs])))
    for (const sites of heldBack.values()) for (const [site, ms] of sites) sites.set(site, ms + byMs)
  }
  return {
    windows: createWindowClock(),
    turns: () => turns,
    setTurns(now) {
      turns = now
      reached = new Map()
      onTheirWay = awaitedFor('sites', now)
      toLookAt = new Map([...awaitedFor('look', now), ...awaitedFor('changing', now)])
      known.forgetUnasked()
      const runs = new Set(now.flatMap(({ run }) => run?.of.id ?? []))
      for (const id of looked.keys()) if (!runs.has(id)) looked.delete(id)
    },
    setMoves(moves) {
      doesMove = moves
    },
    moves: () => doesMove,
    onSite: site => onSite(turns, site),
    spreadingOn: site => spreadingOn(turns, site),
    noteClock,
    facts(run, records) {
      noteClock(records)
      return known.of(run, records)
    },
    setReady(application, site, isReady) {
      const sites = unready.get(application) ?? new Set()
      unready.set(application, sites)
      const wasClosed = closed.get(application)?.delete(site) === true
      const isNews = mark(sites, site, !isReady)
      noteLater(wasClosed ? isReady : isNews)
      const left = onTheirWay.get(application)
      if (!isReady && left?.delete(site) && left.size === 0) noteNews('due')
    },
    setClosed(application, site, isClosed) {
      const sites = closed.get(application) ?? new Set()
      closed.set(application, sites)
      mark(sites, site, isClosed)
    },
    closed: application => [...(closed.get(application) ?? [])],
    setSilent: (site, isSilent) => noteLater(mark(silent, site, isSilent)),
    setTheirs: (site, isTheirs) => noteLater(mark(theirs, site, isTheirs)),
    isSilent: site => silent.has(site),
    isSeen: site => !silent.has(site) && !theirs.has(site),
    setQuiet(application, site, version) {
      const sites = quiet.get(application) ?? new Map()
      quiet.set(application, sites)
      if (version === undefined) return sites.delete(site)
      sites.set(site, version)
      return false
    },
    isQuiet: (application, site, version) => quiet.get(application)?.get(site) === version,
    setHeldBack(application, site, isHeldBack, atMs) {
      const sites = heldBack.get(application) ?? new Map()
      heldBack.set(application, sites)
      if (!isHeldBack) sites.delete(site)
      else if (!sites.has(site)) sites.set(site, atMs)
    },
    heldBackMs: (application, site) => heldBack.get(application)?.get(site),
    hasReached: (application, site) =>
      reached.get(application)?.has(site) === true ||
      turns.some(
        ({ deployment, run }) =>
          deployment.application === application && run?.stand.reached.has(site) === true,
      ),
    noteReached(application, site) {
      const since = reached.get(application) ?? new Set()
      reached.set(application, since.add(site))
      const left = onTheirWay.get(application)
      left?.delete(site)
      if (left === undefined) noteNews('later')
      else if (left.size === 0) noteNews('due')
    },
    noteLooked(application, site) {
      const left = toLookAt.get(application)
      if (left?.delete(site) && left.size === 0) noteNews('due')
    },
    setLooked({ id }, site, atMs) {
      const sites = looked.get(id) ?? new Map()
      looked.set(id, sites.set(site, atMs))
    },
    lookedMs: ({ id }, site) => looked.get(id)?.get(site),
    setSeen(site, found, atMs) {
      seen.set(site, found)
      const since = [...(changed.get(site) ?? [])].filter(([, changedMs]) => changedMs > atMs)
      const all = [...since, ...(found.changed ?? []).map(name => [name, 0] as const)]
      if (all.length === 0) changed.delete(site)
      else changed.set(site, new Map(all))
    },
    setChanging(site, applications, besideMs = 0) {
      if (applications.length === 0) return
      const more = applications.map(name => [name, besideMs] as const)
      changed.set(site, new Map([...(changed.get(site) ?? []), ...more]))
    },
    isChanged: (site, application) => changed.get(site)?.has(application) === true,
    seen: site => seen.get(site),
    noteNews,
    takeNews() {
      const had = news
      news = undefined
      return had
    },
    isReady: (application, site) =>
      [unready, closed].every(sites => sites.get(application)?.has(site) !== true) && !theirs.has(site),
  }
}

/** Has a site in a set or not. Returns whether that changes anything. */
function mark(sites: Set<string>, site: string, isIn: boolean): boolean {
  return isIn ? sites.size < sites.add(site).size : sites.delete(site)
}

/** Returns the sites that each application waits for in this way. */
function awaitedFor(
  what: 'sites' | 'look' | 'changing',
  turns: readonly DeploymentTurn[],
): Map<string, Set<string>> {
  return new Map(
    turns.flatMap(({ deployment: { application }, run }) => {
      const wait = run?.stand.wait
      return wait?.for === what ? [[application, new Set(wait.sites)] as const] : []
    }),
  )
}
