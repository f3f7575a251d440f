import { type Failure, toFailure } from '../errors.ts'
import { optional } from '../object.ts'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import { advanceAll, hasDeployments } from './fleet/advance-all.ts'
import { recordFindings } from './fleet/findings/record-findings.ts'
import { keptSites, lastUnready } from './fleet/sites/kept-sites.ts'
import { desiredState, type Wanted } from './repository/desired.ts'
import { recordGone } from './repository/record-gone.ts'
import { recordRead, recordUnread } from './repository/record-unread.ts'
import { recordWanted } from './repository/record-wanted.ts'
import { followDeploys } from './site/apply/deploys.ts'
import { meetEngines, recordServed } from './site/identity/twin.ts'
import { pass } from './site/pass.ts'
import type { PassRequest, RoundRequest } from './site/pass-request.ts'
import { joinResults, planIds, resultsBySite } from './site/result/join-results.ts'
import { otherPlan } from './site/result/other-plan.ts'
import { noneReachedResult, type PassResult, planlessResult } from './site/result/pass-result.ts'
import { NoneReached } from './site/result/why-unreached.ts'
import { type SiteWorld, sitesOf } from './site/site.ts'
import { withRoom } from './site/with-room.ts'
import { claimSites } from './site/writer/claim-for-pass.ts'
import type { ClaimManner, SiteClaim } from './site/writer/site-claim.ts'
import { failureError } from './status/error.ts'
import type { World } from './world.ts'

/**
 * Looks at the repository once, and makes one pass over each site, all side by side: what the commands `plan` and
 * `apply` do. What the repository wants, and how sites are called now, is recorded only if this process writes to a site:
 * whoever plans another commit, or applies one beside a daemon, changes nothing that the daemon goes by (D17). Never
 * rejects: errors are in the result.
 */
export async function round(world: World, request: RoundRequest, signal: AbortSignal): Promise<PassResult> {
  const startedMs = world.steadyMs()
  try {
    const wanted = await desiredState(world, { ...request.freshness, isUnrecorded: true }, signal)
    await meetEngines(world, signal)
    await world.memory.fleet.windows.load(world.config.sites)
    keptSites(world, wanted.desired).forgetAll()
    if (request.until === 'plan') {
      advanceAll(world, wanted.desired, 'look')
      return await overSites(sitesOf(world), wanted, site => lookRequest(request, site), signal)
    }
    const manners = mannersFor(world, wanted.desired, request)
    const claims = await claimSites(world, wanted.desired, manners, request.unreached, signal)
    if (!isObserver(world)) recordRead(world, wanted.desired.environment)
    if ([...claims.values()].some(({ state }) => state === 'ours')) {
      recordSites(world, wanted.desired, claims)
      await recordWanted(world, wanted)
    }
    await bringOn(world, wanted, request, claims, signal)
    const own = isObserver(world) ? { ...request, isObserver: true as const } : request
    return await applied(sitesOf(world), wanted, own, claims, signal)
  } catch (error) {
    const unread = unreadResult(toFailure(error), signal)
    return isObserver(world) ? unread : recordUnread(world, request, unread, startedMs)
  }
}

/** A site that is known not to answer is not asked again. */
function lookRequest(request: RoundRequest, site: string): PassRequest {
  const failure = request.unreached?.get(site)
  return failure === undefined ? request : { ...request, claimed: { state: 'silent', failure } }
}

/**
 * Returns how sites are claimed. A command that finds nothing to change makes no claim on an engine. Where there are
 * deployments, it makes all claims first, because what is recorded of them means all of their sites.
 */
function mannersFor(
  world: World,
  desired: DesiredState,
  { isRepeated, likelyOn }: RoundRequest,
): (site: string) => ClaimManner {
  const isPatient = isRepeated !== true
  if (!isPatient || hasDeployments(world, desired)) return () => ({ isPatient, begins: 'at once' })
  return site => ({ isPatient, begins: likelyOn?.has(site) ? 'meanwhile' : 'late' })
}

/** Whether another process is known to write to sites of the environment. */
function isObserver({ memory }: World): boolean {
  return memory.whose.theirs().size > 0
}

/**
 * Records which sites there are: under which names those go on that this process writes to, and which ones are gone. What
 * is on record of the others is for whoever writes to them (D17), who may also have others than those that are configured
 * here.
 */
function recordSites(world: World, desired: DesiredState, claims: ReadonlyMap<string, SiteClaim>): void {
  const isOurs = (name: string) => claims.get(name)?.state === 'ours'
  const here = new Set(world.engines.map(({ site }) => site))
  recordGone(world, desired.environment, name => (here.has(name) ? !isOurs(name) : isObserver(world)))
  for (const site of sitesOf(world))
    if (isOurs(site.engine.site)) recordServed(site, variantFor(desired, site.engine.site))
}

/** Returns the result of a look that could not read what is wanted, or found no site that it could ask for that. */
export function unreadResult(failure: Failure, signal: AbortSignal): PassResult {
  if (failure instanceof NoneReached) return noneReachedResult(failure)
  return planlessResult(failure, signal.aborted ? 'interrupted' : 'failed')
}

/**
 * Brings the deployments of an environment one step on, if this process writes to their sites. The sites that could not
 * go on when they were last seen are looked at first: one that still cannot holds nobody (A34). Before a batch is drawn
 * because a healthy time is over, the sites of the batch before are looked at once more.
 */
async function bringOn(
  world: World,
  wanted: Wanted,
  { trigger }: RoundRequest,
  claims: ReadonlyMap<string, SiteClaim>,
  signal: AbortSignal,
): Promise<void> {
  const { desired } = wanted
  const { fleet } = world.memory
  if (!hasDeployments(world, desired)) return
  const answering = new Set<string>()
  for (const [site, { state }] of claims) {
    if (state !== 'silent') answering.add(site)
    fleet.readiness.setSilent(site, state === 'silent')
    for (const { application } of desired.deployments ?? [])
      fleet.readiness.set(application, site, state !== 'silent')
  }
  const lookAt = async (names: ReadonlySet<string>) => {
    const sites = sitesOf(world).filter(({ engine }) => names.has(engine.site))
    const seen = await overSites(sites, wanted, () => ({ trigger, until: 'plan' }), signal)
    for (const part of resultsBySite(seen)) recordFindings(world, part)
  }
  const unready = lastUnready(world, desired).filter(({ site }) => answering.has(site))
  if (unready.length > 0) {
    advanceAll(world, desired, 'look')
    await lookAt(new Set(unready.map(({ site }) => site)))
  }
  advanceAll(world, desired, 'step')
  const lookedFor = new Set(
    fleet.turns.all().flatMap(({ run }) => (run?.stand.wait.for === 'look' ? run.stand.wait.sites : [])),
  )
  if (lookedFor.size === 0) return
  await lookAt(lookedFor)
  advanceAll(world, desired, 'step')
}

/**
 * If only one plan may be applied, all sites are planned before the first of them is touched (D4). Where this process
 * writes to none, nothing is touched in any case, and who writes says more than what the plan would be.
 */
async function applied(
  sites: readonly SiteWorld[],
  wanted: Wanted,
  request: RoundRequest,
  claims: ReadonlyMap<string, SiteClaim>,
  signal: AbortSignal,
): Promise<PassResult> {
  const { onlyPlan, ...free } = request
  const { trigger, retry, shown } = request
  const requestWith =
    (ids: RoundRequest['shown']) =>
    (site: string): PassRequest => ({
      ...request,
      ...optional('claimed', claims.get(site)),
      ...(ids === undefined ? {} : { onlyPlan: ids.get(site) ?? '' }),
    })
  if (onlyPlan === undefined || sites.length === 1)
    return overSites(sites, wanted, requestWith(shown), signal)
  if (![...claims.values()].some(({ state }) => state === 'ours')) {
    const observing = (site: string): PassRequest => {
      const claimed = claims.get(site)
      return claimed === undefined ? request : { ...free, claimed }
    }
    return overSites(sites, wanted, observing, signal)
  }
  const planned = await overSites(
    sites,
    wanted,
    site => ({ trigger, until: 'plan', retry: retry === true, ...optional('claimed', claims.get(site)) }),
    signal,
  )
  if (planned.plan?.id !== onlyPlan) {
    const changed = failureError(otherPlan(planned.plan?.id, onlyPlan))
    return { ...planned, outcome: 'superseded', errors: [...planned.errors, changed] }
  }
  return overSites(sites, wanted, requestWith(planIds(planned)), signal)
}

/** Makes the passes. Where one has ended, others may still wait for what is deployed there, which is looked at until then. */
async function overSites(
  sites: readonly SiteWorld[],
  wanted: Wanted,
  requestOn: (site: string) => PassRequest,
  signal: AbortSignal,
): Promise<PassResult> {
  using over = linkedAbort(signal)
  const passOver = async (site: SiteWorld) => {
    const name = site.engine.site
    const result = await withRoom(site, onLooked =>
      pass(site, wanted, { ...requestOn(name), onLooked }, signal),
    )
    return { result, followed: followDeploys(site, variantFor(wanted.desired, name), over.signal) }
  }
  const ended = await Promise.all(sites.map(passOver))
  over.abort()
  await Promise.all(ended.map(({ followed }) => followed))
  return joinResults(ended.map(({ result }) => result))
}
