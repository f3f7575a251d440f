import { spreadOf } from '../../fleet/strategy/spread.ts'
import { type Stand, standOf } from '../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { runFacts } from '../../journal/fleet/runs.ts'
import type { Journal } from '../../journal/journal.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'

export type RunSource = {
  readonly environment: string
  readonly journal: Journal
  readonly isReady: (application: string, site: string) => boolean
  readonly nowMs: number
}

/**
 * Returns the run of a deployment and where it stands, from what the journal knows; undefined: all its sites get a version
 * at once.
 */
export function runNow(
  { environment, journal, isReady, nowMs }: RunSource,
  { deployment, sites, canaries }: PlacedSites,
): { readonly of: DeploymentRun; readonly stand: Stand } | undefined {
  const { application } = deployment
  const strategy = spreadOf(deployment, canaries)
  const run = strategy && journal.run(environment, application)
  if (strategy === undefined || run === undefined) return undefined
  const facts = runFacts(journal, run)
  const ready = (site: string) => isReady(application, site)
  return { of: run, stand: standOf({ strategy, sites, facts, isReady: ready, nowMs }) }
}
