import { isEnded } from '../../../lib/fleet/spread/facts/run-facts.ts'
import { runFacts } from '../../../lib/journal/fleet/runs.ts'
import type { Journal } from '../../../lib/journal/journal.ts'
import type { StepName } from '../../../lib/plan/step/step.ts'
import { type FleetShape, leadsTo, upgradeFrom } from './happenings.ts'

/** The number of instances of the application on each of its sites. */
export const replicas = 2

/** What runs on a site of the application: the tag of the image of each instance. */
export type Running = readonly string[]

/** What is known of a site by looking at it from outside. */
type Watched = {
  /** The version that ran last as a whole. */
  stable?: string | undefined
  /** The version that was begun since. */
  begun?: string | undefined
  /** The version whose images were last fetched: what a plan brings is fetched before all else, and then brought to its end. */
  fetched?: string
  /** How many instances of that have passed their health gate. */
  proven?: number
  /** The version of which a step is being taken just now. */
  inStep?: string | undefined
  /** It came to the deployment while that was under way: it gets at once what all others have. */
  hasJoined?: boolean
  /** It did not answer since that was begun. It may go on with that, and nobody waits for it. */
  isLost?: boolean
  /** An instance of that did not become healthy. It is put back, or begins anew. */
  hasFailed?: boolean
  /** The version that was forced there, for the way to which no window counts. */
  forced?: string | undefined
  /** The versions of the containers that are there, whether they run or not, by name. */
  readonly present: Map<string, string>
  /** The versions that were deleted from its queue. */
  readonly deleted: Set<string>
}

/** A step that changes something of a version on a site. */
export type Touch = { readonly step: StepName; readonly version: string; readonly container?: string }

/** Looks from outside at what is changed on the sites of a fleet, and notes each promise that is broken (G5, G11). */
export type Promises = {
  /** A version is about to be touched on a site. */
  touches(site: number, touch: Touch): void
  /** A step of a version is being taken on a site from now on; undefined: it has ended, however it did. */
  steps(site: number, version: string | undefined): void
  /** An instance on a site has passed its health gate. */
  proves(site: number): void
  /** Somebody removes all that is on a site. */
  clears(site: number): void
  /** A site falls silent. */
  loses(site: number): void
  /** An instance on a site does not become healthy. */
  fails(site: number): void
  /** Somebody forces a version that waits on a site. */
  forces(site: number, version: string): void
  /** Somebody deletes a version that waits on a site. */
  deletes(site: number, version: string): void
  /** A version is committed, which was not wanted until now. */
  enters(version: string): void
  /** Somebody has the sites of the deployment evaluated. They are these now, of those that there are. */
  evaluates(meant: readonly number[], here: readonly number[]): void
  /** The configuration changes, which changes no deployment unless its sites are just being evaluated. */
  relabels(meant: readonly number[], here: readonly number[]): void
  /** Something new happens: what was stopped before has to stay so. */
  remember(): void
  readonly broken: readonly string[]
  /** The version that runs on a site as a whole, or the one that ran last. */
  stable(site: number): string | undefined
}

/** The steps that end what serves. */
const ends: ReadonlySet<StepName> = new Set(['stop-container', 'remove-container', 'keep-failed', 'drain'])

export function watchPromises(
  shape: FleetShape,
  canaries: ReadonlySet<number>,
  journal: Pick<Journal, 'run' | 'facts' | 'placements'>,
  runs: (site: number) => Running,
  nowMs: () => number,
): Promises {
  const broken: string[] = []
  const sites: Watched[] = shape.sites.map(() => ({ present: new Map(), deleted: new Set() }))
  const tried = new Set<string>()
  let endedRun: number | undefined
  // The sites of the deployment, and all that there were, when they were evaluated.
  let placed: ReadonlySet<number> = new Set(edgesOf(shape))
  let known: ReadonlySet<number> = new Set(shape.sites.keys())
  // Until that is done, what was so before may still be so.
  let before: ReadonlySet<number> | undefined = new Set()
  const isEvaluated = () => {
    const sites = journal.placements('prod').get('shop')?.sites
    return sites?.length === placed.size && [...placed].every(site => sites.includes(`s${site}`))
  }
  const of = (site: number): Watched => {
    const found = sites[site]
    if (found === undefined) throw new Error(`there is no s${site}`)
    return found
  }
  const isPlaced = (site: number) => placed.has(site) || before?.has(site) === true
  const evaluates = (meant: readonly number[], here: readonly number[]) => {
    for (const site of meant) if (!placed.has(site)) of(site).hasJoined = true
    before = new Set([...placed, ...(before ?? [])])
    placed = new Set(meant)
    known = new Set(here)
  }
  const hasReached = (site: number) => {
    const run = journal.run('prod', 'shop')
    const facts = run === undefined ? [] : runFacts(journal, run)
    return facts.some(fact => fact.kind === 'reached' && fact.site === `s${site}`)
  }
  const look = () => {
    for (const [site, watched] of sites.entries()) {
      const running = runs(site)
      const [version] = running
      // What a site loses with its place is installed there anew, if it gets one again.
      if (version === undefined && !isPlaced(site))
        Object.assign(watched, { stable: undefined, begun: undefined, forced: undefined })
      const isOnItsWay = watched.begun !== undefined && (watched.proven ?? 0) < replicas
      if (isOnItsWay && !hasReached(site)) continue
      if (
        watched.hasFailed ||
        version === undefined ||
        running.length !== replicas ||
        running.some(one => one !== version)
      )
        continue
      // As long as what ran before is kept, it may be put back.
      const isKept = watched.stable !== undefined && [...watched.present.values()].includes(watched.stable)
      if (version !== watched.stable && isKept) continue
      Object.assign(watched, { stable: version, begun: undefined })
      if (watched.forced === version) watched.forced = undefined
      if (canaries.has(site)) tried.add(version)
    }
  }
  const begins = (site: number, version: string) => {
    const { stable, forced, deleted } = of(site)
    const isOnTheWay = forced !== undefined && (version === forced || leadsTo(version, forced))
    const says = (promise: string) =>
      broken.push(`${promise}: s${site} from ${stable ?? 'nothing'} to ${version}`)
    const run = journal.run('prod', 'shop')
    const facts = run === undefined ? [] : runFacts(journal, run)
    if (!isPlaced(site)) says('A20 only the sites of the placement')
    if (deleted.has(version)) says('A66 nothing that was deleted')
    if (stable !== undefined && !isOnTheWay && !isOpen(shape, site, nowMs()))
      says('A60 nothing outside of a window')
    const from = upgradeFrom[version]
    if (stable !== undefined && from !== undefined && !from.includes(stable))
      says('A42 no path that is not allowed')
    const drawn = facts.findLast(fact => fact.kind === 'batch')
    if (run?.version === version && !drawn?.sites.includes(`s${site}`)) says('A32 nobody who was not drawn')
    // A step on the way to the version is of those that were tried before.
    if (run?.version === version && canaries.size > 0 && !canaries.has(site)) {
      const isContinued = facts.some(fact => fact.kind === 'word' && fact.word === 'continue')
      if (!tried.has(version) && !isContinued) says('A31 a canary before all others')
      // Where only canaries were meant, nobody was asked whether others follow: who joins them gets what all have (A35).
      const isAsked = shape.byWord && !of(site).hasJoined
      if (isAsked && !isContinued) says('A31 nobody after the canaries without a word')
    }
    // What was begun of another version counts as long as somebody goes on with it.
    const isChanging = (one: Watched) =>
      (one.begun === version || (one.begun !== undefined && one.begun === one.inStep)) &&
      !one.isLost &&
      !one.hasFailed &&
      !one.hasJoined
    const together = [...sites.keys()].filter(other => other !== site && isChanging(of(other))).concat(site)
    const most = together.every(one => canaries.has(one)) ? canaries.size : shape.parallel
    if (together.length > Math.max(most, shape.parallel)) says(`A32 ${together.length} at once`)
  }
  /** What a site runs as a whole is at most repaired there after an end, and the version that ended reaches it no more. */
  const afterAnEnd = (site: number, { step, version }: Touch) => {
    const run = journal.run('prod', 'shop')
    if (run === undefined || run.id !== endedRun || !isEnded(runFacts(journal, run))) return
    const { stable, begun, hasFailed, fetched } = of(site)
    const isUnderWay = (version === begun && !hasFailed) || (version === fetched && step !== 'pull-image')
    const isItsOwn = version === stable || isUnderWay || isHalfway(of(site), version)
    const isAlone = begun === undefined && (fetched === undefined || fetched === stable)
    const isEnding = version === stable && isAlone && !hasFailed && ends.has(step)
    if (isEnding || (version === run.version && !isItsOwn && !ends.has(step)))
      broken.push(`A33 nothing after an end: ${step} of ${version} on s${site} with ${stable ?? 'nothing'}`)
  }
  return {
    broken,
    touches(site, { step, version, container }) {
      look()
      afterAnEnd(site, { step, version })
      if (step === 'pull-image') of(site).fetched = version
      const wasHalfway = isHalfway(of(site), version)
      if (!isPlaced(site) && !known.has(site))
        broken.push(`A25 nothing on a site that has joined since: ${step} of ${version} on s${site}`)
      if (container !== undefined) keep(of(site).present, step, container, version)
      if (step !== 'create-container') return
      const { begun, stable, hasFailed } = of(site)
      if ((version === begun && !hasFailed) || version === stable) return
      if (!wasHalfway) begins(site, version)
      Object.assign(of(site), { begun: version, proven: 0, isLost: wasHalfway, hasFailed: false })
    },
    steps(site, version) {
      of(site).inStep = version
    },
    proves(site) {
      const watched = of(site)
      watched.proven = (watched.proven ?? 0) + 1
    },
    clears(site) {
      of(site).present.clear()
    },
    loses(site) {
      of(site).isLost = true
    },
    fails(site) {
      Object.assign(of(site), { hasFailed: true, forced: undefined })
    },
    forces(site, version) {
      of(site).forced = version
      of(site).deleted.delete(version)
    },
    deletes(site, version) {
      of(site).deleted.add(version)
    },
    enters(version) {
      for (const one of sites) {
        one.deleted.delete(version)
        one.hasJoined = false
      }
    },
    evaluates,
    relabels(meant, here) {
      if (before !== undefined) evaluates(meant, here)
    },
    remember() {
      look()
      if (isEvaluated()) before = undefined
      const run = journal.run('prod', 'shop')
      endedRun = run !== undefined && isEnded(runFacts(journal, run)) ? run.id : undefined
    },
    stable(site) {
      look()
      return of(site).stable
    },
  }
}

/** Whether some of a version is there already, so that bringing it there is no upgrade and needs no turn (A62). */
function isHalfway({ present }: Watched, version: string): boolean {
  return [...present.values()].includes(version)
}

/** Notes that a step makes a container, or takes one away. */
function keep(present: Map<string, string>, step: StepName, container: string, version: string): void {
  if (step === 'create-container') present.set(container, version)
  if (step === 'remove-container' || step === 'keep-failed') present.delete(container)
}

/** Returns the sites that have the label of the deployment at the beginning. */
export function edgesOf({ sites }: FleetShape): readonly number[] {
  return [...sites.entries()].filter(([, { isEdge }]) => isEdge).map(([site]) => site)
}

/** Whether the clock of a site shows a time within its window. */
export function isOpen({ sites }: FleetShape, site: number, nowMs: number): boolean {
  const window = sites[site]?.window
  if (window === undefined) return true
  const hour = (nowMs / 3_600_000) % 24
  return (hour - window.fromHour + 24) % 24 < window.hours
}
