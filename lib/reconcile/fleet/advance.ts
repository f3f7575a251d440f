import type { Problem } from '../../errors.ts'
import { placementOf } from '../../fleet/placement.ts'
import { drawBatch } from '../../fleet/spread/draw.ts'
import { factsWith } from '../../fleet/spread/facts/gist.ts'
import { pauseIn } from '../../fleet/spread/facts/run-facts.ts'
import { setOf } from '../../fleet/spread/sites.ts'
import { spreadOf } from '../../fleet/spread/spread.ts'
import { standOf } from '../../fleet/spread/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { optional } from '../../object.ts'
import { hashOf } from '../../state/canonical.ts'
import { asKnownNow } from '../../state/fleet/as-known-now.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { type DeploymentRun, type RecordedFact, type RunFact, unrecorded } from '../../state/fleet/run.ts'
import type { ContentHashes } from './findings/contents.ts'
import { isCorrected, isOf, onTheirWay, withContent } from './run-before.ts'
import { atOnceOnJoining, begunAnew, joiningWith } from './sites/joining.ts'
import { asFacts, endpointsOf, joinedSince, placedHere, renamed, renamesIn } from './sites/known-sites.ts'
import { leavingIn, type SilenceInput, silencesIn } from './sites/silent-in-batch.ts'
import { isUpdated } from './still-placed.ts'
import type { DeploymentTurn } from './turns.ts'
import { type LossInput, wouldLose } from './would-lose.ts'

/** What is known of a deployment and its application. */
export type AdvanceInput = SilenceInput &
  LossInput & {
    readonly environment: string
    /** A person holds the application at a version, which all sites get at once. */
    readonly isHeld: boolean
    /** The version that is wanted; undefined while it is not known. */
    readonly wanted: ({ readonly version: string } & ContentHashes) | undefined
    /** The versions of sites that should have another one than that (A72). */
    readonly apart?: ReadonlyMap<string, string>
    /** What a site is to have of the application, which may differ there; undefined, or absent: not known. */
    readonly contentOn?: (site: string) => ContentHashes | undefined
    readonly run: DeploymentRun | undefined
    readonly facts: readonly RunFact[]
    readonly isReady: (site: string) => boolean
    /**
     * Whether this process moves the deployment. If not, because others write to its sites or nobody knows who does yet,
     * nothing happens in its run, and no site gets anything that it was not given before (D17).
     */
    readonly moves: boolean
    /** When a pass last judged the run on a site; absent: nobody watches it, as time goes by. */
    readonly lookedMs?: ((site: string) => number | undefined) | undefined
    /** Whether passes see a site; absent: they do. */
    readonly isSeen?: (site: string) => boolean
    /**
     * Whether a site is still getting a version that was wanted before, or nobody has seen yet what became of that; absent:
     * none is.
     */
    readonly isChanging?: ((site: string) => boolean) | undefined
    /** Whether a site was last seen with the wanted version as it is now, healthy. */
    readonly hasIt: (site: string) => boolean
    /** Whether a site was last seen with the wanted version, whatever that consisted of then. */
    readonly hasVersion: (site: string) => boolean
    /** For the draws of a new run. Who looks before it begins has the same one. */
    readonly seed: number
  }

/** What has to be recorded, in this order, before anybody acts on it. */
export type News =
  | { readonly is: 'placement'; readonly placement: PlacedSites }
  | { readonly is: 'run'; readonly run: Omit<DeploymentRun, 'id'> }
  /** What the version of the run consists of from now on. */
  | { readonly is: 'content'; readonly content: string }
  | { readonly is: 'fact'; readonly fact: RecordedFact }

/**
 * Brings a deployment as far as it can go now: evaluates its sites if it changed (A25), begins a run for a new version
 * (A12), notes which sites of the last batch fell silent (A34), and draws the next batch if it is due. Pure.
 */
export function advance(known: AdvanceInput): {
  readonly turn: DeploymentTurn
  readonly news: readonly News[]
} {
  const { deployment, nowMs } = known
  const endpoints = endpointsOf(known.sites)
  const placed = placementNow(known, endpoints)
  if ('refused' in placed)
    return { turn: { deployment, sites: new Set(placed.sites), refused: placed.refused }, news: [] }
  const renames = asFacts(
    known.placement === undefined ? new Map() : renamesIn(known.placement, endpoints),
    nowMs,
  )
  const joining = placed.isNew ? joiningWith(placed.placement, known.placement) : undefined
  const past = renames.length === 0 ? known.facts : asKnownNow([...known.facts, ...renames])
  const anew = joining === undefined ? [] : begunAnew(joining, past, nowMs)
  const before = anew.length === 0 ? past : asKnownNow([...past, ...anew])
  const news: News[] = [
    ...(placed.isNew || placed.isReworded ? [{ is: 'placement', placement: placed.placement } as const] : []),
    ...(known.run === undefined ? [] : [...renames, ...anew].map(fact => ({ is: 'fact', fact }) as const)),
  ]
  const placement = placedHere(placed.placement, known.sites)
  const joined = joinedSince(placement, known.sites)
  const members = setOf(placement.sites)
  const strategy = known.isHeld ? undefined : spreadOf(deployment, placement.canaries)
  const { wanted, apart = new Map<string, string>() } = known
  const { canaries } = placement
  const areApart = canaries.length > 0 && canaries.every(site => apart.has(site))
  if (strategy?.canary !== undefined && areApart)
    return {
      turn: {
        deployment,
        sites: members,
        joined,
        refused: refusal(
          deployment,
          `would try no new version, because all its canaries have one of their own: ${canaries.slice(0, mostNames).join(', ')}`,
        ),
      },
      news,
    }
  if (strategy === undefined || wanted === undefined)
    return { turn: { deployment, sites: members, joined }, news: [...news, ...newsAtOnce(known)] }
  const standing = (facts: readonly RunFact[], { version }: Pick<DeploymentRun, 'version'>) =>
    standOf({
      strategy,
      sites: placement.sites,
      isMeant: site => setOf(placed.placement.sites).has(site),
      facts,
      isReady: known.isReady,
      hasBegun: (site, sinceMs) => known.hasBegun(site, version, sinceMs),
      lookedMs: known.lookedMs,
      isSeen: known.isSeen,
      isChanging: known.isChanging,
      nowMs,
    })
  const stood = standing(before, known.run ?? wanted)
  const same =
    known.run !== undefined && isOf(known.run, wanted, stood, placement.sites)
      ? withContent(known.run, wanted, known.moves && stood.wait.for === 'done')
      : undefined
  if (same !== undefined && same !== known.run) news.push({ is: 'content', content: same.content })
  const run = same ?? { id: unrecorded, ...newRun(known, wanted) }
  const happened: RunFact[] = []
  const happens = (fact: RunFact) => {
    happened.push(fact)
    news.push({ is: 'fact', fact })
  }
  const standsNow = () => standing(factsWith(same === undefined ? [] : before, happened), run)
  if (same === undefined) {
    const { id: _, ...begun } = run
    news.push({ is: 'run', run: begun })
    const leaving = onTheirWay(stood, before)
    // What was last seen where it may be about to be removed says nothing: the next pass finds what is there.
    const returning = new Set(known.placement === undefined ? [] : joining?.sites)
    const staying = placement.sites.filter(site => !returning.has(site))
    for (const site of staying)
      if (known.hasIt(site) && !leaving.has(site))
        happens({ kind: 'reached', atMs: nowMs, site, ...(apart.has(site) ? { isOwn: true } : {}) })
    const had = staying.filter(site => known.hasVersion(site) && !known.hasIt(site))
    if (had.length > 0) happens({ kind: 'had', atMs: nowMs, sites: had })
    const pause = pauseIn(before)
    if (pause !== undefined) happens(pause)
  } else if (joining !== undefined && known.moves) {
    const sites = atOnceOnJoining(joining, stood, past, placement.sites)
    if (sites.length > 0) happens({ kind: 'batch', atMs: nowMs, sites })
  }
  let stand = same !== undefined && happened.length === 0 ? stood : standsNow()
  if (known.moves && isCorrected(stand.wait, known.contentOn)) {
    happens({ kind: 'word', atMs: nowMs, word: 'resume', who: 'a commit' })
    stand = standsNow()
  }
  if (known.moves && same !== undefined && strategy.isAtOnce !== true) {
    const silent = silencesIn(known, run.version, members, stand)
    for (const site of silent) happens({ kind: 'silent', atMs: nowMs, site })
    if (silent.length > 0) stand = standsNow()
    const gone = leavingIn(before, members, stand)
    for (const site of gone) happens({ kind: 'silent', atMs: nowMs, site, isGone: true })
    if (gone.length > 0) stand = standsNow()
  }
  if (stand.wait.for === 'batch' && known.moves) {
    const { from, size, isCanary } = stand.wait
    const sites = drawBatch(from, size, { seed: run.seed, number: stand.batches.length })
    happens({ kind: 'batch', atMs: nowMs, sites, ...(isCanary ? { isCanary } : {}) })
    stand = standsNow()
  }
  return {
    turn: {
      deployment,
      sites: members,
      joined,
      run: { of: run, stand },
      content: wanted.content,
      ...(apart.size === 0 ? {} : { apart }),
    },
    news,
  }
}

/** The most names in one reason. */
const mostNames = 3

function refusal({ name }: Deployment, reason: string): Problem {
  return { code: 'deployment-refused', message: `the deployment ${name} ${reason}` }
}

/**
 * A version that a person holds at all sites has a run of its own if another one had a run before. So whoever had reached
 * the other one is not taken for having it still, if it is wanted again.
 */
function newsAtOnce(known: AdvanceInput): readonly News[] {
  const { wanted, run, facts } = known
  if (wanted === undefined || run === undefined || run.version === wanted.version) return []
  const begun: News = { is: 'run', run: newRun(known, wanted) }
  const pause = pauseIn(facts)
  return pause === undefined ? [begun] : [begun, { is: 'fact', fact: pause }]
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

/** Most of the time nothing has changed, and a thousand sites need not be put into words. */
function isEqual(one: object, other: object): boolean {
  return one === other || hashOf(one) === hashOf(other)
}

/** The sites that are no longer in the environment keep their place on record, because they may come back. */
function placementNow(input: AdvanceInput, known: NonNullable<PlacedSites['known']>): Placed {
  const { deployment, placement: before, sites } = input
  const refused = (reason: string, hint?: string): Placed => ({
    refused: { ...refusal(deployment, reason), ...optional('hint', hint) },
    sites: before?.sites ?? [],
  })
  const noSite = () => refused('means no site, and that removes nothing by mistake', nowhereHint)
  if (before !== undefined && !isUpdated(before.deployment, deployment)) {
    if (before.sites.length === 0 && wouldLose(input)) return noSite()
    const here = renamed(before, known)
    const isReworded = !isEqual(here, before) || !isEqual(deployment, before.deployment)
    return { placement: isReworded ? { ...here, deployment } : before, isNew: false, isReworded }
  }
  const placed = placementOf(deployment, sites)
  if (placed.kind === 'refused') return refused(placed.reason)
  const { sites: meant, canaries } = placed
  if (meant.length === 0 && wouldLose(input)) return noSite()
  return { placement: { deployment, sites: meant, canaries, known }, isNew: true, isReworded: false }
}

const nowhereHint =
  'Correct its label expression, or the labels of the sites in the configuration. To take the application away from all sites, write "match-site-labels: not system/name", which no site can meet.'

function newRun(
  { environment, deployment, nowMs, seed }: AdvanceInput,
  { version, content }: NonNullable<AdvanceInput['wanted']>,
): Omit<DeploymentRun, 'id'> {
  const { name, application } = deployment
  return { environment, deployment: name, application, version, content, seed, atMs: nowMs }
}
