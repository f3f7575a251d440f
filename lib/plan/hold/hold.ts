import type { DesiredState } from '../../state/application/desired.ts'
import { imageContent } from '../../state/application/fingerprint.ts'
import { asksForNothing, isLeft } from '../../state/application/nothing-here.ts'
import { isOwnApplication } from '../../state/application/own-application.ts'
import { versionOf } from '../../state/application/version-of.ts'
import type { SameVersion } from '../../state/fleet/same-version.ts'
import { label } from '../../state/labels.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { keyOf } from '../change/change.ts'
import { isForTheOperator } from '../change/for-the-operator.ts'
import type { Walk } from '../change/walk.ts'
import { withLast } from '../change-order/behind-last.ts'
import type { Difference, DiffResult, Undecided } from '../compare/diff.ts'
import type { Orphan } from '../compare/orphaned.ts'
import { recordedDeploys } from '../compare/past.ts'
import { isOfApplication } from '../compare/target/release.ts'
import type { SiteResources } from '../resources.ts'
import { withDependents } from './dependents.ts'
import type { Held } from './held.ts'
import { heldByNetworks } from './held-by-networks.ts'
import { heldByPorts } from './held-by-ports.ts'
import { heldByServices } from './held-by-services.ts'
import { heldByVolumes } from './held-by-volumes.ts'

/** What the operator's configuration and the journal allow. Keys are `site/application/service`. */
export type Rules = {
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  readonly quarantined: ReadonlyMap<string, QuarantinedRelease>
  /** Versions whose deploy failed, named as in `recordedDeploys`. */
  readonly barred: ReadonlyMap<string, BarredVersion>
  /** By application; `*` is the whole environment. */
  readonly suspended: ReadonlyMap<string, { readonly reason: string; readonly sinceMs: number }>
  /** Why only what serves is looked after: what is wanted now is unknown (D15). */
  readonly onlyRepairs?: Held
  /** Applications of which is known what is wanted all the same, because a person holds them at a version (A12). */
  readonly atVersion?: ReadonlySet<string>
  /** Applications that are tried again later, by `site/application`, and why they last failed. */
  readonly backingOff?: ReadonlyMap<string, Held>
  /** Why no application gets another version now: the window of the site is closed (A60). */
  readonly closedWindow?: Held
  /** Versions that some sites get before this one does, by application. */
  readonly turns?: ReadonlyMap<string, AwaitedTurn>
  /** What becomes of changes that bring no new version, by application, on a site that has its version. */
  readonly sameVersion?: ReadonlyMap<string, VersionHere>
  /** What comes next of applications that another version is wanted of. */
  readonly upgrades?: ReadonlyMap<string, NextVersion>
  /** Set if this very plan was just applied, and is needed again (G2). */
  readonly notConverging?: { readonly planId: string }
}

export type QuarantinedRelease = {
  /** The release of the application that failed. A correction of any part of it is another release (D18). */
  readonly release: string
  readonly reason: string
  readonly sinceMs: number
  /** It failed after a mid hook began: the state before is not started again (H29). */
  readonly isFinal?: boolean
}

/** A version whose turn on this site has not come, and why (A30 to A33). */
export type AwaitedTurn = {
  readonly version: string
  readonly held: Held
  /** It comes to nobody any more, so that it is undone where it was only begun. */
  readonly isOver?: true
}

/** What becomes of a change without a new version on a site of a deployment that has the version (A11). */
export type VersionHere = SameVersion & {
  /** Whether new versions come by canaries or batches. */
  readonly isStepwise: boolean
  /** Why it waits: somebody paused the deployment. */
  readonly held?: Held
}

/** The version that an application gets next, on its way to the wanted one (A65). */
export type NextVersion = {
  readonly version: string
  /** The version that a person has installed outside of the windows: it, or one that it is on the way to (A66). */
  readonly forced?: string
  /** Why it waits. */
  readonly held?: Held
  /** Present if it is not the wanted one. */
  readonly walk?: Walk
  /** It was begun before, and is completed because the wanted one has to wait (A62). */
  readonly isBegun?: true
}

/** A version whose deploy failed. It is not served until a person runs `retry` (P6). */
export type BarredVersion = { readonly reason: string; readonly sinceMs: number }

/** Returns why each difference of a site is left alone for now; undefined for those to act on. */
export function holds(
  desired: DesiredState,
  diff: DiffResult,
  { rules, resources }: { readonly rules: Rules; readonly resources: SiteResources },
): ReadonlyMap<Difference, Held> {
  const { differences, undecided } = diff
  const held = new Map<Difference, Held>()
  const heldByPort = heldByPorts(resources)
  const heldByNetwork = heldByNetworks(resources)
  const heldByVolume = heldByVolumes(resources)
  const heldByService = heldByServices(resources)
  const unknown = new Map(undecided.toReversed().map(one => [one.application, one]))
  for (const difference of differences) {
    const reason =
      ownHold(desired, difference, rules) ??
      besideUnknown(difference, unknown) ??
      heldByPort(difference) ??
      heldByNetwork(difference) ??
      heldByVolume(difference) ??
      heldByService(difference)
    if (reason !== undefined) held.set(difference, reason)
  }
  return withLast(desired, differences, withDependents(desired, diff, held))
}

/** Returns why what a site has and nobody wants there is left alone, whoever else waits. */
function orphanHold(desired: DesiredState, difference: Orphan, { prune }: Rules): Held | undefined {
  const deployment = desired.joined?.get(difference.application)
  if (deployment !== undefined)
    return { code: 'not-placed', reason: `the site is not part of the deployment ${deployment} yet` }
  if (asksForNothing(desired) && !isMeantToGo(desired, difference))
    return { code: 'empty-desired-state', reason: emptyReason(desired) }
  if (prune !== 'never') return undefined
  return { code: 'prune-never', reason: `${difference.reason}; "prune: never" only reports` }
}

/**
 * Returns why a difference is left alone for now, without regard to others.
 * @param kind as what it is judged
 */
export function ownHold(
  desired: DesiredState,
  difference: Difference,
  rules: Rules,
  kind: Difference['kind'] = difference.kind,
): Held | undefined {
  const { site, application } = difference
  if (isForTheOperator(difference))
    return {
      code: 'ingress-unreachable',
      reason: `no container with the label ${label.ingress}=${desired.environment} runs`,
    }
  const isOrphan = kind === 'orphaned' && difference.kind === 'orphaned'
  const orphaned = isOrphan ? orphanHold(desired, difference, rules) : undefined
  // What nobody may remove is of no version, whatever else holds the application (D3).
  if (orphaned?.code === 'prune-never') return orphaned
  const suspended = rules.suspended.get(application) ?? rules.suspended.get('*')
  if (suspended !== undefined) return { code: 'suspended', ...suspended }
  const later = rules.backingOff?.get(`${site}/${application}`)
  if (later !== undefined) return later
  const isKnown = rules.atVersion?.has(application) === true
  if (rules.onlyRepairs !== undefined && !isKnown && kind !== 'drifted' && !difference.isInterrupted)
    return rules.onlyRepairs
  if (kind === 'orphaned') return orphaned ?? heldVersion(difference, rules)
  if (difference.isSpecificationGone && rules.prune === 'never')
    return { code: 'prune-never', reason: 'its specification is gone; "prune: never" only reports' }
  // A bar is reported before a quarantine, because it alone tells what helps: no other correction releases a barred
  // image (P6).
  const barred = barredIn(difference, rules)
  if (barred !== undefined) return { code: 'barred', ...barred }
  const quarantined = rules.quarantined.get(keyOf(difference))
  if (quarantined !== undefined && isOfApplication(quarantined.release, difference))
    return {
      code: 'quarantined',
      reason: quarantined.reason,
      sinceMs: quarantined.sinceMs,
      ...(quarantined.isFinal ? { isFinal: true } : {}),
    }
  const next = rules.upgrades?.get(application)
  if (next?.held !== undefined && (hasNoPath(difference) || difference.arrival === 'upgrade'))
    return next.held
  if (hasNoPath(difference)) return { code: 'no-upgrade-path', reason: difference.noPath }
  const version = kind === 'drifted' ? undefined : heldVersion(difference, rules)
  if (version !== undefined) return version
  if (kind === 'drifted' && rules.drift === 'report' && !difference.isHalfway)
    return { code: 'drift-reported', reason: '"drift: report" only reports' }
  return undefined
}

/** Whether a deployment says that it goes, or that all goes which needs it. */
function isMeantToGo(desired: DesiredState, { application }: Orphan): boolean {
  const isElsewhere = desired.elsewhere?.includes(application) === true
  return isElsewhere || (isOwnApplication(application) && isLeft(desired))
}

/** Whether it would bring a version that no path leads to (A42). */
function hasNoPath<One extends Difference>(difference: One): difference is One & { readonly noPath: string } {
  return difference.noPath !== undefined && difference.isRollout
}

/**
 * Returns why a version that is not here yet has to wait: for its window if another one is here, or for its turn. Other
 * changes take effect at once (A11), unless somebody paused the deployment. What was begun is brought to its end unless
 * its deployment has ended (A33). What a version no longer has waits with it.
 */
function heldVersion(
  { application, declared, arrival, isInterrupted, isPastReturn }: Difference,
  { closedWindow, turns, sameVersion, upgrades }: Rules,
): Held | undefined {
  const [next, turn] = [upgrades?.get(application), turns?.get(application)]
  const paused = sameVersion?.get(application)?.held
  if (paused !== undefined && !isInterrupted && isPastReturn !== true && next?.isBegun !== true) return paused
  // What leads to the version whose turn has not come waits with it.
  const isOfTurn =
    declared === undefined || next?.walk !== undefined || versionOf(declared.application) === turn?.version
  if (arrival === undefined) {
    const isUndone = isOfTurn && turn?.isOver === true && isInterrupted && isPastReturn !== true
    return isUndone ? turn.held : undefined
  }
  if (next?.isBegun === true) return undefined
  const awaited = isOfTurn ? turn : undefined
  // No window brings what its deployment has given up.
  if (awaited?.isOver === true) return awaited.held
  if (arrival === 'upgrade' && closedWindow !== undefined && next?.forced === undefined) return closedWindow
  return awaited?.held
}

/** The most names in one reason. */
const mostNames = 3

/** An application without a specification and without containers has nothing to run, although it is named. */
function emptyReason({ blocked, idle = [], elsewhere = [] }: DesiredState): string {
  const never = 'an empty manifest never removes anything'
  if (blocked.length === 0 && elsewhere.length > 0)
    return `nothing that the manifest asks for can run on any site: ${firstAndMore(elsewhere, mostNames)}; nothing else is removed until some of it can run`
  if (blocked.length === 0 && idle.length === 0) return `the manifest asks for nothing at all; ${never}`
  const nothingToRun =
    idle.length === 0
      ? ''
      : `nothing says what runs for ${firstAndMore(idle, mostNames)}, because there is no specification of that name; `
  if (blocked.length === 0) return `${nothingToRun}${never}`
  const names = blocked.map(({ application }) => application)
  return `all that the manifest asks for is blocked: ${firstAndMore(names, mostNames)}; ${nothingToRun}nothing else is removed until some of it can run`
}

/** A version is barred also where its deploy is not due, because it succeeded before it failed (D10). */
function barredIn(difference: Difference, { barred }: Rules): BarredVersion | undefined {
  const { declared, isRollout, areJobsDone } = difference
  if (!isRollout || areJobsDone) return undefined
  const deploys = declared?.service.jobs?.filter(({ stage }) => stage === 'deploy') ?? []
  return deploys
    .flatMap(({ container }) => recordedDeploys(difference, imageContent(container.image.pin)))
    .map(name => barred.get(name))
    .find(found => found !== undefined)
}

/**
 * Nothing of an application changes while one of its images is unknown (D15). Drift is repaired all the same, because
 * that needs no registry.
 */
function besideUnknown(
  { application, kind }: Difference,
  undecided: ReadonlyMap<string, Undecided>,
): Held | undefined {
  if (kind === 'drifted' || kind === 'orphaned') return undefined
  const unknown = undecided.get(application)
  return unknown && { code: 'digest-unknown', reason: unknown.reason }
}
