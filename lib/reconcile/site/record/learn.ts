import type { Journal } from '../../../journal/journal.ts'
import type { AppliedTarget } from '../../../journal/services/applied.ts'
import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import type { ServiceKey } from '../../../journal/services/service-key.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import { keyOf, type ServicePlace, splitKey } from '../../../plan/change/change.ts'
import { specificationOf } from '../../../plan/change/made-instances.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'
import { deploysOf } from '../../../plan/compare/job/wanted-jobs.ts'
import { isReleaseOf } from '../../../plan/compare/target/release.ts'
import { targetOf } from '../../../plan/compare/target/target.ts'
import type { MadeVolume } from '../../../plan/resources.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { Route } from '../../../state/application/ingress/route.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { hasUnknownImage, volumesOfService } from '../../../state/application/members.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { volumeMark } from '../../../state/application/volume.ts'
import { hashOf } from '../../../state/canonical.ts'
import type { KnownPast } from '../decision/known-past.ts'
import { leaveQuarantine, leftQuarantines } from './quarantine.ts'

/** Records that a service has what was wanted, and what was deployed for it. */
export type SetApplied = (
  entry: ServiceKey & Omit<AppliedTarget, 'volumes'>,
  deploys: readonly string[],
) => void

/**
 * Records what a look at a site shows, all at once. If services are as wanted, their later loss is drift, and an
 * attempt at them has ended. So has one of which nothing was done. An ingress that is as wanted has loaded its routes,
 * whoever made it. What is neither wanted nor exists any more is forgotten, and so is the quarantine of a release that
 * is no longer wanted. What a version no longer has, and nobody may remove, is of that version once all else has it: the
 * next one may be allowed to follow this one only (A42).
 */
export function learn(
  journal: Journal,
  setApplied: SetApplied,
  { desired, diff, past: { applied, attempts, untouched }, leftOvers = [], failed, made = [] }: Learned,
  nowMs: number,
): void {
  const { environment: name, revision } = desired
  const { site } = diff
  const marks = new Map(made.map(one => [one.name, volumeMark(one)]))
  const troubles = new Map(journal.troubles(name, site).map(one => [keyOf(one), one.release]))
  const news: (() => void)[] = []
  const confirmed: (ServiceKey & { readonly commit: string })[] = []
  for (const key of untouched) news.push(() => takeBackBegun(journal, name, splitKey(key), attempts.get(key)))
  // A version that has not come to all services of its application may not have come to any.
  const leftOver = new Set(leftOvers.map(keyOf))
  const behind = diff.differences.filter(one => leftOver.has(keyOf(one)))
  const differing = diff.differences.filter(one => !leftOver.has(keyOf(one)))
  const unfinished = new Set([...differing, ...diff.undecided].map(({ application }) => application))
  for (const found of diff.inSync) {
    const { application, service, target, release, matched, isRollout, jobs } = found
    const commit = found.declared.application.commit ?? revision.commit
    const where = { environment: name, site, application, service }
    const key = keyOf(where)
    const [before, attempt] = [applied.get(key), attempts.get(key)]
    if (attempt !== undefined && attempt.phase !== 'ended') news.push(() => journal.endAttempt(where))
    if (attempt?.phase === 'open' && attempt.release === release)
      news.push(() => journal.useApproval(name, { ...where, release, action: 'replace' }))
    const trouble = troubles.get(key)
    if (trouble !== undefined && !isReleaseOf(trouble, found)) news.push(() => journal.leaveTrouble(where))
    const wanted = versionOf(found.declared.application)
    const version = unfinished.has(application) ? before?.version : wanted
    const deploys = isRollout ? deploysOf(jobs.map(({ job }) => job)) : []
    const isOther = before?.target !== target || before.version !== version
    if (isOther || (before.commit !== commit && deploys.length > 0))
      news.push(() =>
        setApplied({ ...where, target, ...optional('version', version), commit, atMs: nowMs }, deploys),
      )
    // Of a commit whose images nobody knows yet, it could not be made anew.
    else if (before.commit !== commit && !hasUnknownImage(found.declared.application))
      confirmed.push({ ...where, commit })
    const volumes = volumesOfService(found.declared.service).flatMap(({ name }) => {
      const mark = marks.get(name)
      return mark === undefined || before?.volumes?.[name] === mark ? [] : [[name, mark]]
    })
    if (volumes.length > 0) news.push(() => journal.noteVolumes(where, Object.fromEntries(volumes)))
    const routes = routingOf(found.declared.service)?.routes
    if (routes !== undefined && hashOfWanted(routes) !== hashOf(journal.routes(name, site)))
      news.push(() => journal.setRoutes(name, site, routes))
    if (before?.target !== target)
      for (const { wanted } of matched)
        news.push(() => journal.rememberInstance(wanted.fingerprint, specificationOf(wanted.containers)))
  }
  for (const [commit, services] of Map.groupBy(confirmed, one => one.commit))
    news.push(() => journal.confirmApplied({ environment: name, site, services, commit, atMs: nowMs }))
  for (const { application, service, surplus } of behind) {
    const wanted = desired.applications.find(one => one.name === application)
    if (wanted === undefined || unfinished.has(application) || surplus.length === 0) continue
    const where = { environment: name, site, application, service }
    const before = applied.get(keyOf(where))
    const version = versionOf(wanted)
    const target = before?.target ?? targetOf(surplus.map(({ fingerprint }) => fingerprint))
    const commit = before?.commit ?? surplus[0]?.containers[0].commit ?? revision.commit
    if (before?.version !== version)
      news.push(() => setApplied({ ...where, target, version, commit, atMs: nowMs }, []))
  }
  for (const gone of vanished(applied, desired, diff))
    news.push(() => journal.forgetApplied({ environment: name, ...gone }))
  for (const left of leftQuarantines(journal.quarantined(name, site), { desired, diff, failed }))
    news.push(() => leaveQuarantine(journal, left, attempts.get(keyOf(left)), nowMs))
  if (news.length === 0) return
  journal.atOnce(() => {
    for (const write of news) write()
  })
}

/**
 * Records of an attempt of which nothing was done, or nothing is left, that it has not begun, and nor has what approves it:
 * that lapses if somebody went back from it (X18).
 */
export function takeBackBegun(
  journal: Journal,
  environment: string,
  place: ServicePlace,
  attempt: Pick<RecordedAttempt, 'release' | 'target'> | undefined,
): void {
  journal.endAttempt({ environment, ...place })
  if (attempt === undefined) return
  const { release, target } = attempt
  const action = target === 'absent' ? 'remove' : 'replace'
  journal.takeBackBegun(journal.begunItems(environment, { ...place, release, action }))
}

/** What is wanted is the same at each pass, and on each site. */
const hashOfWanted = onceFor((routes: readonly Route[]) => hashOf(routes))

/** How a site differs from what it was compared with. */
export type Learned = {
  readonly desired: DesiredState
  readonly diff: DiffResult
  /** What was on record then. Nobody else writes that of this site. */
  readonly past: KnownPast
  /** The services that their applications no longer have, and that stay because the operator says so (D3); absent: none. */
  readonly leftOvers?: readonly ServicePlace[]
  /** Applications that would go by way of a version that failed. */
  readonly failed?: ReadonlySet<string> | undefined
  /** How the volumes of the site are made; absent: nobody asked, or there are none. */
  readonly made?: readonly MadeVolume[] | undefined
}

/**
 * Returns services that were applied once, and are neither declared nor exist any more, because a removal was
 * interrupted at its very end. If they stayed on record, they would come back as drift, without a confirmation, when
 * they are declared again.
 */
function vanished(
  applied: ReadonlyMap<string, unknown>,
  { blocked }: DesiredState,
  { inSync, differences, undecided }: DiffResult,
): readonly { readonly site: string; readonly application: string; readonly service: string }[] {
  const known = new Set([...inSync, ...differences].map(keyOf))
  const unsure = new Set([...blocked, ...undecided].map(({ application }) => application))
  return [...applied.keys()]
    .filter(key => !known.has(key))
    .map(splitKey)
    .filter(({ application }) => !unsure.has(application))
}
