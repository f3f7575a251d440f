import { awaitsWord } from '../../../fleet/spread/awaits-word.ts'
import { factAhead } from '../../../fleet/spread/clock-set.ts'
import { everReached } from '../../../fleet/spread/facts/run-facts.ts'
import { nextBatchId } from '../../../fleet/spread/next-batch-id.ts'
import { setOf } from '../../../fleet/spread/sites.ts'
import { spreadOf } from '../../../fleet/spread/spread.ts'
import { type Stand, standOf } from '../../../fleet/spread/stand.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { runFacts } from '../../../journal/fleet/runs.ts'
import type { Journal } from '../../../journal/journal.ts'
import { optional } from '../../../object.ts'
import { asKnownNow } from '../../../state/fleet/as-known-now.ts'
import type { DeploymentRun, RunFact } from '../../../state/fleet/run.ts'
import { begunOn, begunSites } from '../../fleet/begun-on.ts'
import {
  asFacts,
  type ConnectedSite,
  endpointsOf,
  placedHere,
  renamed,
  renamesIn,
} from '../../fleet/sites/known-sites.ts'

export type RunSource = {
  readonly environment: string
  readonly journal: Journal
  readonly isReady: (application: string, site: string) => boolean
  /** The sites of the environment as they are configured now; absent: that is not known. */
  readonly sites?: readonly ConnectedSite[]
  readonly nowMs: number
  /** What happened in a run, at times that count; absent: as it is on record. */
  readonly facts?: (run: DeploymentRun) => readonly RunFact[]
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
 * Returns the run of a deployment and where it stands, from what the journal knows; undefined: none was begun. `reached`:
 * the sites that have reached the version, also those that are gone since. `isOtherContent`: some sites had the version
 * with another content when it began. `asked`: the only id under which a person is asked now to let others follow; absent:
 * nobody is.
 */
export function runNow(
  source: RunSource,
  placed: PlacedSites,
):
  | {
      readonly of: DeploymentRun
      readonly stand: Stand
      readonly reached: ReadonlySet<string>
      readonly isOtherContent: boolean
      readonly asked?: string
    }
  | undefined {
  const { environment, journal, isReady, nowMs } = source
  const { here, gone } = placedNow(source, placed)
  const { deployment, sites, canaries } = here
  const { application } = deployment
  const strategy = spreadOf(deployment, canaries)
  const run = journal.run(environment, application)
  if (run === undefined) return undefined
  const renames = source.sites === undefined ? new Map() : renamesIn(placed, endpointsOf(source.sites))
  // What lies ahead counts from now: the clock was set back since.
  const recorded = () => runFacts(journal, run).map(fact => factAhead(fact, Math.min(0, nowMs - fact.atMs)))
  const known = source.facts?.(run) ?? recorded()
  // What these come to is known already, where nobody has another name.
  const facts = renames.size === 0 ? known : asKnownNow([...known, ...asFacts(renames, nowMs)])
  const ready = (site: string) => isReady(application, site)
  const hasBegun = begunOn(journal, environment, application)
  const begun = (site: string, sinceMs: number) => hasBegun(site, run.version, sinceMs)
  const open = begunSites(journal, environment, application)
  const stand = standOf({
    ...{ strategy, sites, facts, hasBegun: begun, nowMs },
    isMeant: site => setOf(sites).has(site) || setOf(gone).has(site),
    isReady: ready,
    isChanging: site => open().has(site) && ready(site),
  })
  return {
    of: run,
    stand,
    ...optional('asked', askedIn(source, run, stand)),
    reached: everReached(facts),
    isOtherContent: facts.some(({ kind }) => kind === 'had'),
  }
}

/**
 * Returns the id under which a person is asked: not while the deployment cannot be carried out as it is written, or a person
 * holds its application at a version, which spreads by no batches.
 */
function askedIn(
  { environment, journal, nowMs }: RunSource,
  run: DeploymentRun,
  stand: Stand,
): string | undefined {
  const isOwn = ({ application }: { readonly application?: string }) =>
    application === undefined || application === run.application
  const isAsked = awaitsWord(stand, () => journal.suspensions(environment, nowMs).some(isOwn))
  const isKept = () =>
    journal.obstacles(environment).has(run.deployment) || journal.heldVersions(environment).some(isOwn)
  return isAsked && !isKept() ? nextBatchId(run, stand) : undefined
}
