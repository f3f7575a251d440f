import { optional } from '../../object.ts'
import type { BatchDrawn, RunFact } from '../../state/fleet/run.ts'
import { begunBefore } from './begun-before.ts'
import { type Broken, isProvedBy, missedIn, type Proof, takenOutIn } from './facts/evidence.ts'
import { gistOf } from './facts/gist.ts'
import { firstEnd, type Hindrance } from './facts/hindrance.ts'
import { type Stop, stopBy } from './facts/run-facts.ts'
import { latest, provingOf } from './proving.ts'
import { type Sites, setOf, sitesIn, withSites } from './sites.ts'
import type { Spread } from './spread.ts'
import { untriedCanaries } from './untried-canaries.ts'

export type StandInput = {
  readonly strategy: Spread
  /** The sites of the deployment that there are. */
  readonly sites: readonly string[]
  /** Whether the deployment means a site, also one that there is not. */
  readonly isMeant: (site: string) => boolean
  /** In the order in which they happened. What a list comes to is remembered with it, so nothing is added to it later. */
  readonly facts: readonly RunFact[]
  /** Whether a site could go on now: it answers, its window is open, and a path leads from what it runs. */
  readonly isReady: (site: string) => boolean
  /** Whether something of the version was begun on a site, since that time at the latest, and has not ended. */
  readonly hasBegun: (site: string, sinceMs: number) => boolean
  /**
   * When a pass of whoever watches last judged the run on a site; undefined: none did yet. What was seen of the site while
   * nobody knew what is wanted there is no judgement. Absent: nobody watches, as time goes by.
   */
  readonly lookedMs?: ((site: string) => number | undefined) | undefined
  /** Whether passes of whoever watches see a site, so that a look at it is worth waiting for. Absent: they do. */
  readonly isSeen?: ((site: string) => boolean) | undefined
  /**
   * Whether a site is still getting a version that was wanted before, or nobody has seen yet what became of that. Absent:
   * none is.
   */
  readonly isChanging?: ((site: string) => boolean) | undefined
  readonly nowMs: number
}

/** Where a run stands. */
export type Stand = {
  /**
   * The sites that may have the version now: those that have reached it, those that had it with another content, and those
   * of the last batch, or on which it was begun before, that are ready.
   */
  readonly open: Sites
  readonly reached: Sites
  /** The sites that had the version with another content when the run began, and have not reached it as it is now (A11). */
  readonly had: ReadonlySet<string>
  /** The sites that fell silent before they had proved it: those that have reached it do not count as done (A34). */
  readonly lost: ReadonlySet<string>
  /** The sites of earlier batches that were away since it was begun there, and have not reached it. */
  readonly begun: ReadonlySet<string>
  /** Those of the sites that have reached it which have a version of their own instead (A72). */
  readonly own: ReadonlySet<string>
  /** The sites that have reached it, and have to be found healthy again before their healthy time begins anew; and why. */
  readonly recheck: ReadonlyMap<string, Broken>
  /** Of sites that stopped or fell silent, and were not found healthy since: when that was noted. */
  readonly brokenMs: ReadonlyMap<string, number>
  /** Where something of it ended by itself since the last batch was drawn, and when it did so first. */
  readonly ended: ReadonlyMap<string, number>
  /** The sites that cannot get it for a reason that may go away, since when, and until when that is tried again. */
  readonly hindered: ReadonlyMap<string, Hindrance>
  /** The sites whose healthy time runs, or has just ended. */
  readonly proving: ReadonlyMap<string, Proof>
  /** All batches that were drawn, the last one last. */
  readonly batches: readonly BatchDrawn[]
  /** When a person last said that it goes on, in ms since 1970; absent: nobody did. */
  readonly resumedMs?: number
  readonly wait: Wait
}

/** What has to happen before the next sites may change, and since when that is so (G13). */
export type Wait =
  /** A batch is due: one of these sites, at most `size` of them. */
  | {
      readonly for: 'batch'
      readonly from: readonly string[]
      readonly size: number
      readonly isCanary?: true
    }
  /** The first batch is due. These sites are still getting a version that was wanted before, and count until they have it. */
  | { readonly for: 'changing'; readonly sites: readonly string[] }
  /** Sites of the last batch are on their way. `untilMs`: when the first of them that is hindered fails. */
  | {
      readonly for: 'sites'
      readonly sites: readonly string[]
      readonly sinceMs: number
      readonly untilMs?: number
    }
  /** The last batch is healthy, and has to stay so. */
  | { readonly for: 'healthy-time'; readonly sinceMs: number; readonly untilMs: number }
  /** The healthy time is over, and these sites have to be looked at once more. */
  | { readonly for: 'look'; readonly sites: readonly string[]; readonly sinceMs: number }
  /** The canaries are healthy, and a person says whether that is enough. */
  | { readonly for: 'word'; readonly sinceMs: number }
  | Stop
  /** All sites that are ready have reached the version. These have not, or nobody knows how it does there. */
  | { readonly for: 'unready'; readonly sites: readonly string[]; readonly sinceMs?: number }
  /** None of the canaries is ready, or none is left, and none has tried the version. */
  | { readonly for: 'canaries'; readonly sites: readonly string[]; readonly sinceMs?: number }
  /**
   * Canaries that have the version do not answer, or sites of the last batch, of which no other one proves it. Or all sites
   * that were to prove it are no longer among those of the deployment.
   */
  | { readonly for: 'return'; readonly sites: readonly string[]; readonly sinceMs: number }
  /** All sites have reached the version. `untilMs`: when the last of them will have proved it, of which that began at `sinceMs` (A36). */
  | { readonly for: 'done'; readonly sinceMs?: number; readonly untilMs?: number }

/**
 * Returns where a run stands (A30 to A36). Pure: the same facts at the same time give the same answer, so that a
 * process that is killed at any moment repeats nothing and leaves nothing out.
 *
 * - A site that is not ready, because it does not answer or its window is closed, holds no batch, and does not count as
 *   done. It is drawn once it is ready (A34). One that stops being ready after it was drawn begins nothing until it was
 *   decided again who goes on: others that become ready with it may be drawn in its place.
 * - Where all sites get a version at once, it is drawn for all of them, ready or not: nobody waits for another (A30).
 * - Nobody else begins while sites are still getting a version that was wanted before: never more change than may (A32).
 * - Sites that had the version with another content get the one of now at once. They are drawn first, together with the
 *   canaries, so that nobody else gets a content that nobody has proved (A11, A31).
 * - A batch has proved itself once all its sites that are ready were healthy for the whole healthy time. After a failure
 *   and the word that goes on, that time begins anew, once the sites of the batch and those that failed are healthy again.
 * - Where a container was started again in the healthy time, or stopped and is started again, that time begins anew.
 * - A site that goes away before it has proved the version does not count as done, and does so anew once it is back. The
 *   others of its batch prove the version meanwhile. If there is no other, or if it is a canary that had the version,
 *   nobody follows until it is back, or a person says so: what nobody has seen healthy goes to no further site.
 * - Where the sites that were to prove it were taken out, and none is left that does, nobody follows either. Silent ones
 *   that are no canaries hold nobody then, and neither do those that the deployment does not mean any more.
 * - Where it was begun, on a site that did not answer or was taken out since, so that others were drawn meanwhile, it is
 *   finished once the site is there and ready: nobody else is drawn before that.
 * - A site that has a version of its own is done, and proves nothing: such a canary has not tried that of the run (A72).
 * - Where no canary that is left has tried the version, because those that had are gone, are none any more, or begin anew,
 *   those that are left try it.
 * - What happened since the last look is seen by one more when the healthy time is over, if there is one, and by the first
 *   look of a process in any case.
 * - An error on any site ends the run (A33). Sites that have reached the version keep it.
 */
export function standOf({
  strategy,
  sites,
  isMeant,
  facts,
  isReady,
  hasBegun,
  lookedMs,
  isSeen = () => true,
  isChanging = () => false,
  nowMs,
}: StandInput): Stand {
  const members = setOf(sites)
  const gist = gistOf(facts)
  const { reachedMs, batches, evidence, hindered, failed, isLetGo } = gist
  const stop = stopBy(gist.stops)
  const reached = sitesIn(sites, members, reachedMs)
  const had = new Set([...gist.had].filter(site => members.has(site) && !reached.has(site)))
  const left = sites.filter(site => !reached.has(site))
  const last = batches.at(-1)
  const batch = (last?.sites ?? []).filter(site => members.has(site))
  const proofs = [...evidence.proofs].filter(([site]) => members.has(site))
  const lost = new Set([...evidence.lost.keys()].filter(site => members.has(site)))
  const broken = new Map(
    proofs.flatMap(([site, { broken }]) => (broken === undefined ? [] : [[site, broken]])),
  )
  const silent = [...lost].filter(site => reached.has(site) && !broken.has(site))
  const recheck = new Map<string, Broken>([
    ...[...evidence.stopped.keys()].flatMap(site => (reached.has(site) ? [[site, 'stop'] as const] : [])),
    ...broken,
    ...silent.map(site => [site, 'silence'] as const),
  ])
  const brokenMs = new Map([...evidence.lost, ...evidence.stopped])
  const isEnd = stop !== undefined && stop.for !== 'resume'
  const begun = begunBefore(left, gist, hasBegun)
  const drawn = [...batch, ...begun]
  const besides = isEnd ? [] : [...had, ...(strategy.isAtOnce ? drawn : drawn.filter(isReady))]
  const open = withSites(reached, besides)
  const stand = (wait: Wait): Stand => {
    const proving = isOfProving(wait) ? new Map(proofs) : none
    const { own, ended, resumedMs } = evidence
    const said = { brokenMs, ...optional('resumedMs', resumedMs) }
    return { open, reached, had, lost, begun, own, recheck, ended, hindered, proving, batches, ...said, wait }
  }
  if (stop !== undefined) return stand(stop)
  const undone = sites.filter(site => !reached.has(site) || lost.has(site))
  // Nothing has happened since the last site reached the version, or since the last batch was drawn.
  const quiet = () => (last === undefined ? {} : { sinceMs: latest([last.atMs, reachedMs.latest() ?? 0]) })
  const inBatch = new Set(batch)
  const undrawn = strategy.isAtOnce ? left.filter(site => !inBatch.has(site)) : []
  if (undrawn.length > 0) return stand({ for: 'batch', from: left, size: left.length })
  const drawing = (batch: Wait): Stand => {
    const changing = last === undefined ? sites.filter(isChanging) : []
    return stand(changing.length === 0 ? batch : { for: 'changing', sites: changing })
  }
  if (last === undefined && had.size > 0) {
    const { canary } = strategy
    const first = sites.filter(site => had.has(site) || canary?.sites.has(site))
    const isCanary = canary === undefined ? {} : ({ isCanary: true } as const)
    return drawing({ for: 'batch', from: first, size: first.length, ...isCanary })
  }
  // A site that failed is the one that has to show that it is healthy again: it is waited for, wherever it is. So is one
  // where something was stopped, whatever keeps it from going on, unless another site proves the version.
  const isProvedBySome = isProvedBy(proofs, () => true)
  const isWaitedFor = ([site, why]: readonly [string, Broken]) =>
    isReady(site) ||
    (why === 'failure' && failed.has(site)) ||
    (why === 'stop' && !isProvedBySome && !lost.has(site))
  const onTheirWay = [
    ...drawn.filter(site => !reached.has(site) && isReady(site)),
    ...[...broken].filter(isWaitedFor).map(([site]) => site),
  ]
  const breaks = proofs.flatMap(([, { sinceMs, broken }]) => (broken === undefined ? [] : [sinceMs]))
  if (last !== undefined && onTheirWay.length > 0)
    return stand({
      ...{ for: 'sites', sites: onTheirWay, sinceMs: latest([last.atMs, ...breaks]) },
      ...firstEnd(onTheirWay, hindered),
    })
  const { isContinued } = evidence
  const proving = last === undefined || isContinued ? undefined : provingOf(strategy, last, proofs)
  const isProven = proving === undefined || (proving !== 'word' && nowMs >= proving.untilMs)
  const canaries = strategy.canary === undefined ? [] : sites.filter(site => strategy.canary?.sites.has(site))
  const missed = missedIn(batch, evidence)
  const isOfAll = last?.isCanary === true && !isContinued
  const awaited = isOfAll ? [...new Set([...broken.keys(), ...missed])] : missed
  const isAwaited = awaited.length > 0
  const isWatched = last?.isCanary === true && (isAwaited || proving === 'word' || !isProven)
  // Those that were taken out, or are no canaries any more, count if there are no others.
  const former = batches.flatMap(({ isCanary, sites }) => (isCanary === true ? sites : []))
  const isTried = (canaries.length === 0 ? former : canaries).some(site => evidence.tried.has(site))
  const hasTried = strategy.canary === undefined || isLetGo || isTried
  const untried = untriedCanaries(canaries, { reached, batches, hasTried, isAwaited, isWatched })
  const isCanaryDue = untried.length > 0
  const sinceLost = (sites: readonly string[]) =>
    latest(sites.map(site => evidence.lost.get(site) ?? evidence.proofs.get(site)?.sinceMs ?? 0))
  if (isAwaited && !(isCanaryDue && isWatched))
    return stand({ for: 'return', sites: awaited, sinceMs: sinceLost(awaited) })
  if (undone.length === 0)
    return stand(
      proving === undefined || proving === 'word' || isProven ? { for: 'done' } : { for: 'done', ...proving },
    )
  if (left.length === 0)
    return proving === undefined || proving === 'word' || isProven
      ? stand({ for: 'unready', sites: undone, ...quiet() })
      : stand({ for: 'healthy-time', ...proving })
  if (!isCanaryDue && !hasTried)
    return stand({ for: 'canaries', sites: canaries.filter(site => !evidence.own.has(site)), ...quiet() })
  if (isCanaryDue && (isWatched || isProven))
    return drawing({ for: 'batch', from: untried, size: untried.length, isCanary: true })
  const hasProved = (site: string) => {
    const proof = evidence.proofs.get(site)
    const own =
      last === undefined || proof === undefined ? undefined : provingOf(strategy, last, [[site, proof]])
    if (own === undefined || own === 'word') return false
    return own.untilMs === own.sinceMs || (lookedMs?.(site) ?? 0) >= own.untilMs
  }
  const takenOut =
    last === undefined || strategy.isAtOnce
      ? []
      : takenOutIn(last, members, isMeant, evidence).filter(site => !hasProved(site))
  if (takenOut.length > 0) return stand({ for: 'return', sites: takenOut, sinceMs: sinceLost(takenOut) })
  if (proving === 'word') {
    return stand({ for: 'word', sinceMs: latest(proofs.map(([, { sinceMs }]) => sinceMs)) })
  }
  if (!isProven && proving !== undefined) return stand({ for: 'healthy-time', ...proving })
  if (proving !== undefined && lookedMs !== undefined) {
    const hasTime = proving.untilMs > proving.sinceMs
    const isUnseen = (site: string) => {
      const atMs = lookedMs(site)
      return atMs === undefined || (hasTime && atMs < proving.untilMs)
    }
    const unseen = proofs.flatMap(([site]) => (isSeen(site) && isUnseen(site) ? [site] : []))
    if (unseen.length > 0) return stand({ for: 'look', sites: unseen, sinceMs: proving.untilMs })
  }
  const from = left.filter(isReady)
  if (from.length === 0 || strategy.isAtOnce) return stand({ for: 'unready', sites: undone, ...quiet() })
  return drawing({ for: 'batch', from, size: Math.max(1, strategy.sitesInParallel ?? from.length) })
}

const none: ReadonlyMap<string, Proof> = new Map()

/** Whether what a wait is for is a healthy time, or the look after it. */
function isOfProving(wait: Wait): boolean {
  return (
    wait.for === 'healthy-time' || wait.for === 'look' || (wait.for === 'done' && wait.untilMs !== undefined)
  )
}
