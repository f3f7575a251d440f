import { optional } from '../../../object.ts'
import { type DeploymentRun, type RunFact, unrecorded } from '../../../state/fleet/run.ts'
import { greatest } from '../../extremes.ts'
import { environmentName } from '../../repository/identity/environment-name.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import type { ApplicationStatus } from '../../status/application/application-status.ts'
import { keptOf } from '../../status/last-state.ts'
import type { World } from '../../world.ts'
import { unendedOn } from '../begun-on.ts'
import type { WhenToLook } from '../memory/fleet-news.ts'
import { changedAfter, contentsAfter } from './contents.ts'
import type { Judging } from './fact.ts'
import { findingsOf, isSilentIn } from './findings.ts'

/**
 * Records what a pass over a site says about the deployments of its environment. A run that is not on record yet has no
 * facts: what is found now is found again once it has begun.
 */
export function recordFindings(world: World, result: PassResult): void {
  const { journal, memory, nowMs } = world
  const { site, plan, status, saysNothingOf, seenMs = nowMs() } = result
  if (site === undefined) return
  memory.fleet.noteClock(world)
  if (plan !== undefined && !plan.unseen.includes(site)) {
    const seen = memory.fleet.seen.on(site)
    const kept = keptOf(journal, plan.environment, site)
    const before = (now: ApplicationStatus) =>
      seen?.applications.find(({ application }) => application === now.application) ?? now
    const contents = contentsAfter(() => (seen ?? kept.state)?.contents, result)
    const applications =
      saysNothingOf === undefined
        ? status
        : status.map(one => (saysNothingOf(one.application) ? before(one) : one))
    const changed = changedAfter(() => (seen ?? kept.state)?.changed, result)
    const found = { applications, ...optional('contents', contents), ...optional('changed', changed) }
    memory.fleet.seen.set(site, found, newestOf([seenMs], nowMs()))
  }
  const turns = memory.fleet.turns.all()
  if (turns.length === 0) return
  const isSilent = isSilentIn(result)
  if (isSilent !== undefined) memory.fleet.readiness.setSilent(site, isSilent)
  const found = findingsOf(turns, result, judgingOn(world, site))
  for (const { application, isReady, isQuiet, isHeldBack = false, isLook, fact: said } of found) {
    // What a later look found of it is newer than what this pass had planned.
    const isLate = result.wasSeenSince?.(application) === true
    if (!isLate) memory.fleet.waiting.setHeldBack(application, site, isHeldBack, nowMs())
    const run = turns.find(({ deployment }) => deployment.application === application)?.run
    const fact = run === undefined || run.of.id === unrecorded ? undefined : said
    const isHeard =
      !isLate &&
      isQuiet !== undefined &&
      memory.fleet.waiting.setQuiet(application, site, isQuiet ? run?.of.version : undefined) &&
      run?.stand.open.has(site) === false
    if (!isLate) memory.fleet.readiness.set(application, site, isReady)
    if (fact !== undefined && run !== undefined) recordFact(world, run.of, fact)
    if (fact?.kind === 'reached') memory.fleet.turns.noteReached(application, site)
    if (isLook && run !== undefined) {
      const earlier = memory.fleet.looks.lastMs(run.of, site) ?? 0
      memory.fleet.looks.set(run.of, site, newestOf([seenMs, earlier], nowMs()))
    }
    memory.fleet.news.noteLooked(application, site)
    if (isHeard) memory.fleet.news.note('later')
    if (fact !== undefined && fact.kind !== 'reached') memory.fleet.news.note(whenToLook(fact))
  }
}

/** Returns what the findings of a pass over a site are judged by now. */
function judgingOn(world: World, site: string): Judging {
  const { journal, memory, config, nowMs } = world
  const environment = environmentName(world)
  const unended = (application: string) => unendedOn(journal, { environment, site, application })
  const { hasReached } = memory.fleet.turns
  return { hasReached, unended, deadlineMs: config.progressDeadlineMs, nowMs: nowMs() }
}

/** Returns when a site was looked at last. A time in the future is of before the clock was set back, in the middle of a pass. */
function newestOf(looksMs: readonly number[], nowMs: number): number {
  return greatest(looksMs.filter(ms => ms <= nowMs)) ?? 0
}

/**
 * Records what a pass beside another one found of versions that were in place and do not run, before it repairs them: then
 * they show no more of that, and the other pass knows nothing of it.
 */
export function recordBreaks(
  world: World,
  result: PassResult,
  isBusy: (application: string) => boolean,
): void {
  const { memory } = world
  memory.fleet.noteClock(world)
  const turns = memory.fleet.turns.all()
  if (turns.length === 0) return
  const { site = '' } = result
  const found = findingsOf(turns, { ...result, saysNothingOf: isBusy }, judgingOn(world, site))
  for (const { application, fact } of found) {
    const run = turns.find(({ deployment }) => deployment.application === application)?.run
    if (run === undefined || run.of.id === unrecorded) continue
    if (fact?.kind !== 'stopped' && fact?.kind !== 'failed') continue
    recordFact(world, run.of, fact)
    memory.fleet.news.note('due')
  }
}

/** What hinders a version may hinder it on all sites at the same time, and is judged by a pass that tries again later. */
function whenToLook({ kind }: RunFact): WhenToLook {
  return kind === 'hindered' ? 'later' : 'due'
}

function recordFact({ journal, log }: World, of: DeploymentRun, fact: RunFact): void {
  if (fact.kind === 'failed') {
    const { environment, deployment, application, version } = of
    const { site, reason } = fact
    log.error(`the deployment ${deployment} failed: ${reason}`, { environment, site, application, version })
  }
  journal.insist(() => {
    journal.addFact(of.id, fact)
    // Whoever forced it elsewhere did not know that it would fail (A66).
    if (fact.kind !== 'failed') return
    for (const version of [of.version, fact.step])
      if (version !== undefined) journal.endForced({ ...of, version })
    journal.noteVersionFailed({ ...of, version: fact.step ?? of.version })
  })
}
