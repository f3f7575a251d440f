import type { Wait } from '../../../fleet/spread/stand.ts'
import type { DeploymentTurn } from '../turns.ts'

/**
 * `due`: a deployment may go on now, or may not. `later`: what else happens soon may be seen with it. Each look goes
 * through all sites, so that what happens to many of them at the same time has to be for later.
 */
export type WhenToLook = 'due' | 'later'

/**
 * Whether something has happened that a deployment may wait for, so that the deployments have to be looked at. Invariants:
 *
 * - All that has happened is taken together: it is due if any of it is.
 * - Where a run waits for several sites, it is due once it waits for none of them any more, so that a batch is not looked
 *   at again for each of its sites.
 * - Which sites that are follows from where the deployments stood when they were last advanced.
 */
export type FleetNews = {
  note(when: WhenToLook): void
  /** Returns what has happened since it was asked last; undefined: nothing. */
  take(): WhenToLook | undefined
  /**
   * Notes that a site has reached the version of the run of an application. If that run waits for no site to do so, because
   * it was stopped, nothing depends on it, and it is for later.
   */
  noteReached(application: string, site: string): void
  /** Notes that a site cannot go on with an application now. That is no news, unless a run waited for it as the last one. */
  noteUnready(application: string, site: string): void
  /** Notes that a site was looked at. That is no news, unless a run waited for a look at it as the last one. */
  noteLooked(application: string, site: string): void
}

/** Creates the news of deployments that wait for nothing yet. `awaits` says where they stand from now on. */
export function createFleetNews(): FleetNews & { awaits(turns: readonly DeploymentTurn[]): void } {
  /** By application: the sites of the last batch that are on their way. */
  let onTheirWay = new Map<string, Set<string>>()
  /** By application: the sites that have to be looked at once more. */
  let toLookAt = new Map<string, Set<string>>()
  let news: WhenToLook | undefined
  const note = (when: WhenToLook) => {
    news = news === 'due' ? news : when
  }
  const isLast = (left: Set<string> | undefined, site: string) =>
    left?.delete(site) === true && left.size === 0
  return {
    awaits(turns) {
      onTheirWay = awaitedFor(turns, ['sites'])
      toLookAt = awaitedFor(turns, ['look', 'changing'])
    },
    note,
    take() {
      const had = news
      news = undefined
      return had
    },
    noteReached(application, site) {
      const left = onTheirWay.get(application)
      left?.delete(site)
      if (left === undefined) note('later')
      else if (left.size === 0) note('due')
    },
    noteUnready(application, site) {
      if (isLast(onTheirWay.get(application), site)) note('due')
    },
    noteLooked(application, site) {
      if (isLast(toLookAt.get(application), site)) note('due')
    },
  }
}

/** Returns the sites that each application waits for in one of these ways. */
function awaitedFor(
  turns: readonly DeploymentTurn[],
  ways: readonly Wait['for'][],
): Map<string, Set<string>> {
  return new Map(
    turns.flatMap(({ deployment: { application }, run }) => {
      const wait = run?.stand.wait
      return wait !== undefined && 'sites' in wait && ways.includes(wait.for)
        ? [[application, new Set(wait.sites)] as const]
        : []
    }),
  )
}
