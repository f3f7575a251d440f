import type { Problem } from '../../errors.ts'
import { type LabelledSite, placementOf } from '../../fleet/placement.ts'
import { drawBatch } from '../../fleet/strategy/draw.ts'
import { spreadOf } from '../../fleet/strategy/spread.ts'
import { type Stand, standOf } from '../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { hashOf } from '../../state/canonical.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import type { DeploymentRun, RunFact } from '../../state/fleet/run.ts'
import type { DeploymentTurn } from './turns.ts'

/** What is known of a deployment and its application. */
export type AdvanceInput = {
  readonly environment: string
  readonly deployment: Deployment
  /** A person holds the application at a version, which all sites get at once. */
  readonly isHeld: boolean
  /** The version that is wanted; undefined while it is not known. */
  readonly wanted: { readonly version: string; readonly content: string } | undefined
  /** All sites of the environment. */
  readonly sites: readonly LabelledSite[]
  /** The sites that it meant when it was last evaluated. */
  readonly placement: PlacedSites | undefined
  readonly run: DeploymentRun | undefined
  readonly facts: readonly RunFact[]
  readonly isReady: (site: string) => boolean
  /** Whether a site was last seen with the wanted version, healthy. */
  readonly hasIt: (site: string) => boolean
  readonly nowMs: number
  /** A number that nobody can foresee, for the draws of a new run. */
  readonly seed: number
}

/** What has to be recorded, in this order, before anybody acts on it. */
export type News =
  | { readonly is: 'placement'; readonly placement: PlacedSites }
  | { readonly is: 'run'; readonly run: Omit<DeploymentRun, 'id'> }
  | { readonly is: 'fact'; readonly fact: RunFact }

/**
 * Brings a deployment as far as it can go now: evaluates its sites if it changed (A25), begins a run for a new version
 * (A12), and draws the next batch if it is due. Pure.
 */
export function advance(known: AdvanceInput): {
  readonly turn: DeploymentTurn
  readonly news: readonly News[]
} {
  const { deployment, nowMs, facts: before } = known
  const placed = placementNow(known)
  if ('refused' in placed)
    return { turn: { deployment, sites: new Set(placed.sites), refused: placed.refused }, news: [] }
  const { placement } = placed
  const news: News[] = placed.isNew || placed.isReworded ? [{ is: 'placement', placement }] : []
  const members = new Set(placement.sites)
  const strategy = known.isHeld ? undefined : spreadOf(deployment, placement.canaries)
  const { wanted } = known
  if (strategy === undefined || wanted === undefined) return { turn: { deployment, sites: members }, news }
  const standing = (facts: readonly RunFact[]) =>
    standOf({ strategy, sites: placement.sites, facts, isReady: known.isReady, nowMs })
  const goesOn = known.run !== undefined && isOf(known.run, wanted, standing(before))
  const run = goesOn && known.run !== undefined ? known.run : { id: 0, ...newRun(known, wanted) }
  let facts: readonly RunFact[] = goesOn ? before : []
  const happens = (fact: RunFact) => {
    facts = [...facts, fact]
    news.push({ is: 'fact', fact })
  }
  if (!goesOn) {
    const { id: _, ...begun } = run
    news.push({ is: 'run', run: begun })
    for (const site of placement.sites) if (known.hasIt(site)) happens({ kind: 'reached', atMs: nowMs, site })
    // A pause is of the deployment, whatever version is next.
    const wait = known.run === undefined ? undefined : standing(before).wait
    if (wait?.for === 'resume') happens(wait.said)
  } else if (placed.isNew) {
    const joining = joiningOf(known, placement, standing(facts))
    if (joining.length > 0) happens({ kind: 'batch', atMs: nowMs, sites: joining })
  }
  let stand = standing(facts)
  if (stand.wait.for === 'batch') {
    const { from, size, isCanary } = stand.wait
    const sites = drawBatch(from, size, { seed: run.seed, number: stand.batches.length })
    happens({ kind: 'batch', atMs: nowMs, sites, ...(isCanary ? { isCanary } : {}) })
    stand = standing(facts)
  }
  return { turn: { deployment, sites: members, run: { of: run, stand } }, news }
}

type Placed =
  | {
      readonly placement: PlacedSites
      /** Its sites were evaluated just now. */
      readonly isNew: boolean
      /** It says something else that does not concern its sites. */
      readonly isReworded: boolean
    }
  /** `sites`: those that it meant before. */
  | { readonly refused: Problem; readonly sites: readonly string[] }

/** The sites that are no longer in the environment are left out: nothing can be done there. */
function placementNow({ deployment, placement: before, sites }: AdvanceInput): Placed {
  const here = new Set(sites.map(({ name }) => name))
  if (before?.deployment.revision === deployment.revision) {
    const isHere = (site: string) => here.has(site)
    const [left, canaries] = [before.sites.filter(isHere), before.canaries.filter(isHere)]
    const isReworded = hashOf(before.deployment) !== hashOf(deployment)
    return { placement: { deployment, sites: left, canaries }, isNew: false, isReworded }
  }
  const placed = placementOf(deployment, sites)
  const refused = (reason: string): Placed => ({
    refused: { code: 'deployment-refused', message: `the deployment ${deployment.name} ${reason}` },
    sites: before?.sites ?? [],
  })
  if (placed.kind === 'refused') return refused(placed.reason)
  const { sites: meant, canaries } = placed
  if (meant.length === 0 && (before?.sites.length ?? 0) > 0)
    return refused('means no site any more, and that never removes anything')
  return { placement: { deployment, sites: meant, canaries }, isNew: true, isReworded: false }
}

/**
 * A run is of one version. Another content of that version takes effect at once on the sites that have it (A11). If the
 * run is not done, it begins anew: nobody has proved that content, or it is the correction of what failed.
 */
function isOf(
  run: DeploymentRun,
  { version, content }: NonNullable<AdvanceInput['wanted']>,
  { wait }: Stand,
): boolean {
  return run.version === version && (run.content === content || wait.for === 'done')
}

function newRun(
  { environment, deployment, nowMs, seed }: AdvanceInput,
  { version, content }: NonNullable<AdvanceInput['wanted']>,
): Omit<DeploymentRun, 'id'> {
  const { name, application } = deployment
  return { environment, deployment: name, application, version, content, seed, atMs: nowMs }
}

/** Sites that join a deployment whose version has reached all others get it at once (A35). */
function joiningOf(
  { placement: before }: AdvanceInput,
  { sites }: PlacedSites,
  stand: Stand,
): readonly string[] {
  const members = new Set(before?.sites)
  const joining = sites.filter(site => !members.has(site) && !stand.reached.has(site))
  const isDone = sites.every(site => stand.reached.has(site) || !members.has(site))
  return before !== undefined && isDone ? joining : []
}
