import type { DeploymentRun } from '../../../state/fleet/run.ts'
import type { Timed } from './timed.ts'

/**
 * When passes of this process last judged runs on sites, in ms since 1970. Invariant: it is known only of the runs that the
 * deployments are at. What happens while a deployment or its version cannot be told, nobody judges.
 */
export type RunLooks = {
  /** Returns when a run was last judged on a site; undefined: not since this process began, or since it was forgotten. */
  lastMs(run: DeploymentRun, site: string): number | undefined
  /** Notes that a pass judged a run on a site, as it looked at it then. */
  set(run: DeploymentRun, site: string, atMs: number): void
  /** Forgets a site, which is gone or has another engine now. */
  forget(site: string): void
}

/** Creates the memory of a process that has judged no run. `forgetOthers` keeps only what is known of these runs. */
export function createRunLooks(): RunLooks & Timed & { forgetOthers(runs: readonly DeploymentRun[]): void } {
  const looked = new Map<number, Map<string, number>>()
  return {
    lastMs: ({ id }, site) => looked.get(id)?.get(site),
    set({ id }, site, atMs) {
      const sites = looked.get(id) ?? new Map()
      looked.set(id, sites.set(site, atMs))
    },
    forget(site) {
      for (const sites of looked.values()) sites.delete(site)
    },
    forgetOthers(runs) {
      const ids = new Set(runs.map(({ id }) => id))
      for (const id of looked.keys()) if (!ids.has(id)) looked.delete(id)
    },
    putForward(byMs) {
      for (const sites of looked.values()) for (const [site, ms] of sites) sites.set(site, ms + byMs)
    },
  }
}
