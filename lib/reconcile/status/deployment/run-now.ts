import { everReached } from '../../../fleet/strategy/run-facts.ts'
import { spreadOf } from '../../../fleet/strategy/spread.ts'
import { type Stand, standOf } from '../../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { runFacts } from '../../../journal/fleet/runs.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { DeploymentRun } from '../../../state/fleet/run.ts'
import { type ConnectedSite, endpointsOf, placedHere, renamed } from '../../fleet/known-sites.ts'

export type RunSource = {
  readonly environment: string
  readonly journal: Journal
  readonly isReady: (application: string, site: string) => boolean
  /** The sites of the environment as they are configured now; absent: that is not known. */
  readonly sites?: readonly ConnectedSite[]
  readonly nowMs: number
}

/** Returns a placement as its sites are called now, and without those that are gone. */
export function placedNow(
  { sites }: Pick<RunSource, 'sites'>,
  placed: PlacedSites,
): { readonly here: PlacedSites; readonly gone: readonly string[] } {
  if (sites === undefined) return { here: placed, gone: [] }
  const all = renamed(placed, endpointsOf(sites))
  const here = placedHere(all, sites)
  const isHere = new Set(here.sites)
  return { here, gone: all.sites.filter(site => !isHere.has(site)) }
}

/**
 * Returns the run of a deployment and where it stands, from what the journal knows; undefined: none was begun. `reached`: the sites that have reached the version, also those that are gone since.
 */
export function runNow(
  source: RunSource,
  placed: PlacedSites,
): { readonly of: DeploymentRun; readonly stand: Stand; readonly reached: ReadonlySet<string> } | undefined {
  const { environment, journal, isReady, nowMs } = source
  const { deployment, sites, canaries } = placedNow(source, placed).here
  const { application } = deployment
  const strategy = spreadOf(deployment, canaries)
  const run = journal.run(environment, application)
  if (run === undefined) return undefined
  const facts = runFacts(journal, run)
  const ready = (site: string) => isReady(application, site)
  return {
    of: run,
    stand: standOf({ strategy, sites, facts, isReady: ready, nowMs }),
    reached: everReached(facts),
  }
}
