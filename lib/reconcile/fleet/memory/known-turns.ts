import { standAhead } from '../../../fleet/spread/clock-set.ts'
import { type DeploymentTurn, onSite, type SiteTurns, spreadingOn } from '../turns.ts'
import type { FleetNews } from './fleet-news.ts'
import type { Timed } from './timed.ts'

/**
 * Where the deployments stand, and whether this process moves them. Invariants:
 *
 * - They stand where they were when they were last advanced, whatever happens meanwhile.
 * - Only who has reached a version is known at once, so that no pass finds that a second time. It is news, too.
 */
export type KnownTurns = {
  /** Where each deployment stood when it was last advanced. */
  all(): readonly DeploymentTurn[]
  /** What the deployments mean for a site. */
  onSite(site: string): SiteTurns
  /** The applications of which a version spreads, or proves itself, on sites of which this is one. */
  spreadingOn(site: string): ReadonlySet<string>
  /** Whether a site has reached the version of the run of an application. */
  hasReached(application: string, site: string): boolean
  noteReached(application: string, site: string): void
  /** Whether this process moved the deployments when they were last looked at. */
  moves(): boolean
  setMoves(moves: boolean): void
}

/**
 * Creates the memory of an environment of which no deployment was read yet.
 * @param news is told who has reached a version
 */
export function createKnownTurns(
  news: Pick<FleetNews, 'noteReached'>,
): KnownTurns & Timed & { set(turns: readonly DeploymentTurn[]): void } {
  let turns: readonly DeploymentTurn[] = []
  /** By application: the sites that have reached its version since the deployments were advanced. */
  let reached = new Map<string, Set<string>>()
  let doesMove = false
  return {
    all: () => turns,
    set(now) {
      turns = now
      reached = new Map()
    },
    onSite: site => onSite(turns, site),
    spreadingOn: site => spreadingOn(turns, site),
    hasReached: (application, site) =>
      reached.get(application)?.has(site) === true ||
      turns.some(
        ({ deployment, run }) =>
          deployment.application === application && run?.stand.reached.has(site) === true,
      ),
    noteReached(application, site) {
      const since = reached.get(application) ?? new Set()
      reached.set(application, since.add(site))
      news.noteReached(application, site)
    },
    moves: () => doesMove,
    setMoves(moves) {
      doesMove = moves
    },
    putForward(byMs) {
      turns = turns.map(turn =>
        turn.run === undefined
          ? turn
          : { ...turn, run: { ...turn.run, stand: standAhead(turn.run.stand, byMs) } },
      )
    },
  }
}
