import type { BatchDrawn, RunFact, SiteReached, WordGiven } from '../../state/fleet/run.ts'
import { firstEnd, type Hindrance, hindrancesIn } from './hindrance.ts'
import { type Stop, stopOf } from './run-facts.ts'

/** How a version gets from site to site. Durations are in milliseconds. */
export type Spread = {
  /** All sites may change at any time, without batches that wait for one another. */
  readonly isAtOnce?: true
  /** How many sites change at the same time; absent: all of them. */
  readonly sitesInParallel?: number
  /** How long a batch has to stay healthy before the next one is drawn. */
  readonly healthyMs: number
  /** Which sites go first, and what lets the others follow: time, or a person. */
  readonly canary?: { readonly sites: ReadonlySet<string>; readonly healthyMs: number | 'word' }
}

export type StandInput = {
  readonly strategy: Spread
  /** The sites of the deployment, as it was placed. */
  readonly sites: readonly string[]
  /** In the order in which they happened. */
  readonly facts: readonly RunFact[]
  /** Whether a site could go on now: it answers, its window is open, and a path leads from what it runs. */
  readonly isReady: (site: string) => boolean
  /** When a site was last looked at by whoever watches it; undefined: not yet. Absent: nobody watches, as time goes by. */
  readonly lookedMs?: ((site: string) => number | undefined) | undefined
  readonly nowMs: number
}

/** Where a run stands. */
export type Stand = {
  /** The sites that may have the version now: those that have reached it, and those of the last batch that are ready. */
  readonly open: ReadonlySet<string>
  readonly reached: ReadonlySet<string>
  /** The sites that have reached it, and have to be found healthy again before their healthy time begins anew; and why. */
  readonly recheck: ReadonlyMap<string, Broken>
  /** The sites that cannot get it for a reason that may go away, since when, and until when that is tried again. */
  readonly hindered: ReadonlyMap<string, Hindrance>
  /** The sites whose healthy time runs, or has just ended. */
  readonly proving: ReadonlyMap<string, Proof>
  /** All batches that were drawn, the last one last. */
  readonly batches: readonly BatchDrawn[]
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
  /** All sites that are ready have reached the version. */
  | { readonly for: 'unready'; readonly sites: readonly string[]; readonly sinceMs?: number }
  /** None of the canaries is ready. */
  | { readonly for: 'canaries'; readonly sites: readonly string[]; readonly sinceMs?: number }
  /** Canaries that have the version do not answer. */
  | { readonly for: 'return'; readonly sites: readonly string[]; readonly sinceMs: number }
  /** All sites have reached the version. `untilMs`: when the last of them will have proved it (A36). */
  | { readonly for: 'done'; readonly untilMs?: number }

/**
 * Returns where a run stands (A30 to A36). Pure: the same facts at the same time give the same answer, so that a
 * process that is killed at any moment repeats nothing and leaves nothing out.
 *
 * - A site that is not ready, because it does not answer or its window is closed, holds no batch, and does not count as
 *   done. It is drawn once it is ready (A34). One that stops being ready after it was drawn begins nothing until it was
 *   decided again who goes on: others that become ready with it may be drawn in its place.
 * - Where all sites get a version at once, it is drawn for all of them, ready or not: nobody waits for another (A30).
 * - A batch has proved itself once all its sites that are ready were healthy for the whole healthy time. After a failure
 *   and the word that goes on, that time begins anew, once the sites of the batch and those that failed are healthy again.
 * - Where a container was started again in the healthy time, that time begins anew.
 * - A canary that goes away before it has proved the version does so anew once it is back, unless a person says to go on.
 * - What happened since the last look is seen by one more when the healthy time is over.
 * - An error on any site ends the run (A33). Sites that have reached the version keep it.
 */
export function standOf({ strategy, sites, facts, isReady, lookedMs, nowMs }: StandInput): Stand {
  const members = new Set(sites)
  const reachedAt = new Map(
    facts.flatMap(fact => (fact.kind === 'reached' ? [[fact.site, fact.atMs] as const] : [])),
  )
  const reached = new Set([...reachedAt.keys()].filter(site => members.has(site)))
  const batches = facts.filter(fact => fact.kind === 'batch')
  const last = batches.at(-1)
  const batch = (last?.sites ?? []).filter(site => members.has(site))
  const words = facts.filter(fact => fact.kind === 'word')
  const proofs = [...proofsIn(facts)].filter(([site]) => members.has(site))
  const stop = stopOf(facts)
  const recheck = new Map(
    proofs.flatMap(([site, { broken }]) => (broken === undefined ? [] : [[site, broken]])),
  )
  const hindered = hindrancesIn(facts)
  const isEnd = stop !== undefined && stop.for !== 'resume'
  const open = isEnd ? reached : new Set([...reached, ...(strategy.isAtOnce ? batch : batch.filter(isReady))])
  const stand = (wait: Wait): Stand => {
    const proving = isOfProving(wait) ? new Map(proofs) : none
    return { open, reached, recheck, hindered, proving, batches, wait }
  }
  if (stop !== undefined) return stand(stop)
  const left = sites.filter(site => !reached.has(site))
  // Nothing has happened since the last site reached the version, or since the last batch was drawn.
  const quiet = last === undefined ? {} : { sinceMs: latest([last.atMs, ...reachedAt.values()]) }
  const undrawn = strategy.isAtOnce ? left.filter(site => !batch.includes(site)) : []
  if (undrawn.length > 0) return stand({ for: 'batch', from: left, size: left.length })
  const failed = new Set(facts.flatMap(fact => (fact.kind === 'failed' ? [fact.site] : [])))
  const awaited = [...recheck.keys()]
  // A site that failed is the one that has to show that it is healthy again: it is waited for, wherever it is.
  const onTheirWay = [
    ...batch.filter(site => !reached.has(site) && isReady(site)),
    ...awaited.filter(site => isReady(site) || failed.has(site)),
  ]
  const brokenMs = proofs.flatMap(([, { sinceMs, broken }]) => (broken === undefined ? [] : [sinceMs]))
  if (last !== undefined && onTheirWay.length > 0)
    return stand({
      ...{ for: 'sites', sites: onTheirWay, sinceMs: latest([last.atMs, ...brokenMs]) },
      ...firstEnd(onTheirWay, hindered),
    })
  const proving = last === undefined ? undefined : provingOf(strategy, last, proofs, words)
  const isProven = proving === undefined || (proving !== 'word' && nowMs >= proving.untilMs)
  const canaries = strategy.canary === undefined ? [] : sites.filter(site => strategy.canary?.sites.has(site))
  const isOfCanaries = ({ isCanary, sites }: BatchDrawn) =>
    isCanary === true && sites.some(site => strategy.canary?.sites.has(site))
  // While the canaries are watched, others that become canaries are drawn with them. Later they are sites like any other.
  const isWatched = last?.isCanary === true && (awaited.length > 0 || proving === 'word' || !isProven)
  const untried = batches.some(isOfCanaries)
    ? canaries.filter(
        site => isWatched && !reached.has(site) && !batches.some(one => one.sites.includes(site)),
      )
    : canaries
  const isCanaryDue = untried.length > 0
  if (last?.isCanary && awaited.length > 0 && !isCanaryDue)
    return stand({ for: 'return', sites: awaited, sinceMs: latest(brokenMs) })
  if (left.length === 0)
    return stand(
      proving === undefined || proving === 'word' || isProven
        ? { for: 'done' }
        : { for: 'done', untilMs: proving.untilMs },
    )
  const hasTried = canaries.length === 0 || canaries.some(site => reached.has(site))
  if (!isCanaryDue && !hasTried) return stand({ for: 'canaries', sites: canaries, ...quiet })
  if (isCanaryDue && (isWatched || isProven))
    return stand({ for: 'batch', from: untried, size: untried.length, isCanary: true })
  if (proving === 'word') {
    return stand({ for: 'word', sinceMs: latest(proofs.map(([, { sinceMs }]) => sinceMs)) })
  }
  if (!isProven && proving !== undefined) return stand({ for: 'healthy-time', ...proving })
  if (proving !== undefined && lookedMs !== undefined) {
    const isUnseen = (site: string) => (lookedMs(site) ?? 0) < proving.untilMs
    const unseen = proofs.flatMap(([site]) => (isReady(site) && isUnseen(site) ? [site] : []))
    if (unseen.length > 0) return stand({ for: 'look', sites: unseen, sinceMs: proving.untilMs })
  }
  const from = left.filter(isReady)
  if (from.length === 0 || strategy.isAtOnce) return stand({ for: 'unready', sites: left, ...quiet })
  return stand({ for: 'batch', from, size: Math.max(1, strategy.sitesInParallel ?? from.length) })
}

/** Why a site has to be found healthy again: a person said to go on after a failure, or it did not answer. */
type Broken = 'failure' | 'silence'

/** Since when a site that has reached the version has been healthy, or has not been known to be any more. */
type Proof = {
  readonly sinceMs: number
  readonly broken?: Broken
  /** It was healthy before, and was started again. */
  readonly isRestarted?: true
}

const none: ReadonlyMap<string, Proof> = new Map()

/** Whether what a wait is for is a healthy time, or the look after it. */
function isOfProving(wait: Wait): boolean {
  return (
    wait.for === 'healthy-time' || wait.for === 'look' || (wait.for === 'done' && wait.untilMs !== undefined)
  )
}

/**
 * Returns the sites that have to prove the version before the next batch is drawn: those of the last batch that have
 * reached it, and those that failed since and went on by a person's word.
 */
function proofsIn(facts: readonly RunFact[]): ReadonlyMap<string, Proof> {
  const reached = new Set<string>()
  const proofs = new Map<string, Proof>()
  let batch: readonly string[] = []
  let failed: readonly string[] = []
  for (const fact of facts) {
    if (fact.kind === 'batch') {
      batch = fact.sites
      proofs.clear()
    } else if (fact.kind === 'reached') {
      reached.add(fact.site)
      if (batch.includes(fact.site) || proofs.has(fact.site)) proofs.set(fact.site, proofOf(fact))
    } else if (fact.kind === 'failed') {
      failed = [...failed, fact.site]
    } else if (fact.kind === 'silent') {
      if (proofs.has(fact.site)) proofs.set(fact.site, { sinceMs: fact.atMs, broken: 'silence' })
    } else if (fact.kind === 'hindered') {
      // Whether a version proves itself does not depend on how long it took to get there.
    } else if (fact.word === 'continue') {
      proofs.clear()
    } else if (fact.word === 'resume' && failed.length > 0) {
      for (const site of [...proofs.keys(), ...failed])
        if (reached.has(site)) proofs.set(site, { sinceMs: fact.atMs, broken: 'failure' })
      failed = []
    }
  }
  return proofs
}

function proofOf({ atMs, isRestarted }: SiteReached): Proof {
  return { sinceMs: atMs, ...(isRestarted ? { isRestarted } : {}) }
}

/**
 * Returns the time in which a batch proves the version: from the last of its sites that is healthy. `word`: a person
 * says so. Undefined if nothing is left to prove: no site of the batch reached it, or a person said to go on.
 */
function provingOf(
  { healthyMs, canary }: Spread,
  { isCanary, atMs }: BatchDrawn,
  proofs: readonly (readonly [site: string, proof: Proof])[],
  words: readonly WordGiven[],
): { readonly sinceMs: number; readonly untilMs: number } | 'word' | undefined {
  if (proofs.length === 0) return undefined
  const sinceMs = latest(proofs.map(([, { sinceMs }]) => sinceMs))
  const neededMs = isCanary === true && canary !== undefined ? canary.healthyMs : healthyMs
  if (words.some(({ word, atMs: saidMs }) => word === 'continue' && saidMs >= atMs)) return undefined
  return neededMs === 'word' ? 'word' : { sinceMs, untilMs: sinceMs + neededMs }
}

function latest(times: readonly number[]): number {
  return times.reduce((most, time) => Math.max(most, time), 0)
}
