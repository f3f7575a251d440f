import { optional } from '../../../object.ts'
import type { BatchDrawn, RunFact, SiteReached } from '../../../state/fleet/run.ts'
import { noSiteTimes, type SiteTimes } from './site-times.ts'

/**
 * Why a site has to be found healthy again: a person said to go on after a failure, it did not answer, or something of
 * the version did not run there.
 */
export type Broken = 'failure' | 'silence' | 'stop'

/** Since when a site that has reached the version has been healthy, or has not been known to be any more. */
export type Proof = {
  readonly sinceMs: number
  readonly broken?: Broken
  /** It was healthy before, and was started again. */
  readonly isRestarted?: true
}

/** What a run knows of whether its version does well. */
export type Evidence = {
  /**
   * The sites that have to prove the version before the next batch is drawn: those of the last batch that have reached
   * it, and those that failed since and went on by a person's word.
   */
  readonly proofs: ReadonlyMap<string, Proof>
  /** The sites that fell silent before they had proved the version, and were not found healthy since; and when they did. */
  readonly lost: ReadonlyMap<string, number>
  /** Of those, the ones with which nothing was wrong when they were taken out. */
  readonly gone: ReadonlySet<string>
  /** The sites that have a version of their own. They prove nothing (A72). */
  readonly own: ReadonlySet<string>
  /** The sites that have tried the version of the run, and when they reached it last. */
  readonly tried: SiteTimes
  /** The sites on which something of the version did not run when they were last looked at; and when that was noted. */
  readonly stopped: ReadonlyMap<string, number>
  /** Where something of the version ended by itself since the last batch was drawn, and when it did so first. */
  readonly ended: ReadonlyMap<string, number>
  /** Whether a person let the others follow the last batch. */
  readonly isContinued: boolean
  /** When a person last said that it goes on, in ms since 1970; absent: nobody did. */
  readonly resumedMs?: number
  /** The sites of the last batch. */
  readonly batch: ReadonlySet<string>
  /** The sites on which it failed since a person last said that it goes on. */
  readonly failed: readonly string[]
}

/** Returns what a run knows in which nothing has happened. */
export function noEvidence(): Evidence {
  return {
    ...{ proofs: new Map(), lost: new Map(), gone: new Set(), own: new Set(), tried: noSiteTimes() },
    ...{ stopped: new Map(), ended: new Map(), isContinued: false, batch: new Set(), failed: [] },
  }
}

/** Returns what is proved after further facts, in the order in which they happened. What was known before stays. Pure. */
export function evidenceAfter(before: Evidence, facts: readonly RunFact[]): Evidence {
  const [proofs, lost] = [new Map(before.proofs), new Map(before.lost)]
  const [gone, own, tried] = [new Set(before.gone), new Set(before.own), before.tried.copy()]
  const [stopped, ended] = [new Map(before.stopped), new Map(before.ended)]
  let { isContinued, resumedMs, batch, failed } = before
  for (const fact of facts) {
    if (fact.kind === 'batch') {
      batch = new Set(fact.sites)
      proofs.clear()
      ended.clear()
      isContinued = false
      // Whoever is drawn again tries it from the beginning.
      for (const site of batch) lost.delete(site)
      // Canaries that have the version already prove it like the others (A31).
      if (fact.isCanary === true)
        for (const site of fact.sites) if (tried.has(site)) proofs.set(site, { sinceMs: fact.atMs })
    } else if (fact.kind === 'reached') {
      lost.delete(fact.site)
      stopped.delete(fact.site)
      if (fact.isEnd) ended.set(fact.site, fact.atMs)
      if (fact.isOwn) {
        own.add(fact.site)
        // What it has not proved until now, it never will.
        if (proofs.delete(fact.site)) tried.delete(fact.site)
        continue
      }
      own.delete(fact.site)
      tried.set(fact.site, fact.atMs)
      if (batch.has(fact.site) || proofs.has(fact.site)) proofs.set(fact.site, proofOf(fact))
    } else if (fact.kind === 'failed') {
      failed = [...failed, fact.site]
      lost.delete(fact.site)
      stopped.delete(fact.site)
    } else if (fact.kind === 'stopped') {
      stopped.set(fact.site, fact.atMs)
      if (fact.isEnd) ended.set(fact.site, fact.atMs)
      const proof = proofs.get(fact.site)
      if (proof !== undefined) proofs.set(fact.site, { sinceMs: fact.atMs, broken: proof.broken ?? 'stop' })
    } else if (fact.kind === 'silent') {
      lost.set(fact.site, fact.atMs)
      if (fact.isGone) gone.add(fact.site)
      else gone.delete(fact.site)
      const proof = proofs.get(fact.site)
      // One that failed still has to show that it is healthy again.
      if (proof !== undefined)
        proofs.set(fact.site, { sinceMs: fact.atMs, broken: proof.broken ?? 'silence' })
    } else if (fact.kind === 'had' || fact.kind === 'hindered') {
      // Whether a version proves itself depends neither on what was there before, nor on how long it took to get there.
    } else if (fact.word === 'continue') {
      proofs.clear()
      isContinued = true
    } else if (fact.word === 'resume') {
      resumedMs = fact.atMs
      if (failed.length === 0) continue
      for (const site of [...proofs.keys(), ...failed])
        if (tried.has(site) || own.has(site)) proofs.set(site, { sinceMs: fact.atMs, broken: 'failure' })
      failed = []
      ended.clear()
    }
  }
  return {
    ...{ proofs, lost, gone, own, tried, stopped, ended, isContinued, batch, failed },
    ...optional('resumedMs', resumedMs),
  }
}

/**
 * Returns the sites of a batch that are missed: they fell silent while they had the version or got it, and no other one of
 * the batch proves it. None if a person let the others follow (A34). Pure.
 */
export function missedIn(
  batch: readonly string[],
  { proofs, lost, isContinued }: Evidence,
): readonly string[] {
  const inBatch = new Set(batch)
  if (isContinued || isProvedBy(proofs, site => inBatch.has(site))) return []
  return batch.filter(site => lost.has(site))
}

/**
 * Returns the sites that were to prove the last batch and are not members any more, where no member proves it: what they
 * have not proved, their leaving does not (A31, A32). Canaries count whatever became of them. Others hold nobody if they had
 * fallen silent before, or if the deployment was changed so that it does not mean them: so a person lets the others follow
 * (A34, A35). Pure.
 * @param isMeant whether the deployment means a site, also one that is not there
 */
export function takenOutIn(
  { isCanary }: BatchDrawn,
  members: ReadonlySet<string>,
  isMeant: (site: string) => boolean,
  { proofs, lost, gone }: Evidence,
): readonly string[] {
  if (isProvedBy(proofs, site => members.has(site))) return []
  const isLetGo = (site: string) =>
    isCanary !== true && (!isMeant(site) || (lost.has(site) && !gone.has(site)))
  return [...proofs.keys()].filter(site => !members.has(site) && !isLetGo(site))
}

/** Whether one of these sites proves the version, because nothing is known to be wrong with it there. */
export function isProvedBy(
  proofs: Iterable<readonly [site: string, proof: Proof]>,
  isOne: (site: string) => boolean,
): boolean {
  return [...proofs].some(([site, { broken }]) => broken === undefined && isOne(site))
}

function proofOf({ atMs, isRestarted }: SiteReached): Proof {
  return { sinceMs: atMs, ...(isRestarted ? { isRestarted } : {}) }
}
