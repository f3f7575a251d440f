import { posix } from 'node:path'
import { type Failure, InvalidInput, toFailure } from '../../errors.ts'
import { onceFor } from '../../memo/once-for.ts'
import { optional } from '../../object.ts'
import { movedTags } from '../../registry/moved.ts'
import { type PinContext, pinImages } from '../../registry/pin.ts'
import { blockDependentsAnywhere } from '../../spec/build/requires.ts'
import { whereaboutsOf } from '../../spec/claims/whereabouts.ts'
import { changeEverywhere, type DesiredState } from '../../state/application/desired.ts'
import { shortCommit } from '../../state/repository/revision.ts'
import type { World } from '../world.ts'
import { checkTags } from './commit/check-tags.ts'
import type { ReadCommit, Tags } from './commit/commits.ts'
import { besides, readIngress } from './commit/resolve-commit.ts'
import { type ResolvedPinned, resolvePinned } from './commit/resolve-pinned.ts'
import { sitesKnownTo } from './commit/sites-known.ts'
import { isGone, snapshotAt } from './commit/snapshot-at.ts'
import { pinning } from './commit/state-at.ts'
import { isKept, lastGood, type Vouched, vouched } from './commit/vouched.ts'
import { namesFiles, settingsMark } from './ingress/read-ingress-settings.ts'
import { keepWanted, recordGood } from './record-wanted.ts'
import { isPinnedAs, isSettled, mayAnswer } from './registry-answers.ts'
import { currentSecrets, markOfSecrets } from './secrets/secrets.ts'
import { failureProblems, stateOnRecord } from './state-on-record.ts'
import { withChosenVersions } from './version/chosen-versions.ts'
import { releaseWarnings } from './version/record-kept-versions.ts'

export type Freshness = {
  /** A look-up of the ref of at most this age is used again. */
  readonly maxAgeMs: number
  /** Whether the last good commit may be used if the source does not answer, or its newest commit cannot be read. */
  readonly lastGood: boolean
  /** Nothing of what is wanted is recorded yet: whoever asks may not be the one who carries it out. */
  readonly isUnrecorded?: true
}

export type Wanted = {
  /** The same value as before, while registries that did not answer say nothing new. */
  readonly desired: DesiredState
  /** The commit that the ref means now. Another one may be in force instead. */
  readonly newest: string
  /** A registry did not answer: it is to be asked again soon. */
  readonly awaitsRegistry?: true
  /** Why the source, or its newest commit, could not be read, so that the last good commit is used instead. */
  readonly stale?: Failure
  /** The newest commit cannot be read: until it is corrected, only what serves is looked after. */
  readonly unreadable?: true
}

/**
 * Returns what the repository wants now, with every image pinned. A known commit costs one look-up of the ref and no
 * registry call. Fails if the source, or the manifest as a whole, cannot be read: then nothing is known (G4, D15).
 */
export async function desiredState(world: World, freshness: Freshness, signal: AbortSignal): Promise<Wanted> {
  const { commit, good: instead, stale } = await lookUp(world, freshness, signal)
  const told = { newest: world.memory.commits.lookedUp()?.commit ?? commit }
  let newest = instead
  try {
    newest ??= await vouched(world, commit, signal)
    return { ...told, ...(await stateOf(world, newest, stale, freshness, signal)) }
  } catch (error) {
    const good = lastGood(world)
    if (!freshness.lastGood || signal.aborted || good === undefined) throw error
    if (!isKept(newest, commit, good)) throw error
    return {
      ...told,
      ...(await goodState(world, good, toFailure(error), freshness, signal)),
      unreadable: true,
    }
  }
}

/** What a commit wants, and whether that may be all. */
type Known = Omit<Wanted, 'newest' | 'unreadable'>

/**
 * Returns the state of the last good commit. If that cannot be read again, only what is on record is known. If it
 * cannot be used for another reason, fails with both reasons: that of the newest commit comes first.
 */
async function goodState(
  world: World,
  good: Vouched,
  failure: Failure,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Known> {
  try {
    return await stateOf(world, good, failure, freshness, signal)
  } catch (error) {
    if (signal.aborted) throw error
    if (!isGone(error)) throw bothFailures(failure, good, toFailure(error))
    const desired = stateOnRecord(world, failure)
    if (desired === undefined) throw failure
    return { desired, stale: failure }
  }
}

/** Whatever keeps every commit from being used is told once. */
function bothFailures(newest: Failure, { commit }: Vouched, other: Failure): Failure {
  if (newest.code === other.code && newest.message === other.message) return other
  const [first, ...rest] = failureProblems(newest)
  const prefix = `the last good commit, ${shortCommit(commit)}, cannot be used either: `
  const second = failureProblems(other).map(problem => ({
    ...problem,
    message: `${prefix}${problem.message}`,
  }))
  return new InvalidInput([first, ...rest, ...second])
}

async function stateOf(
  world: World,
  newest: Vouched,
  stale: Failure | undefined,
  { isUnrecorded }: Pick<Freshness, 'isUnrecorded'>,
  signal: AbortSignal,
): Promise<Known> {
  const { commit } = newest
  const pinContext = once(() => pinning(world, commit, signal))
  const known = await stillTrue(world, commit, signal)
  if (known === undefined || !known.settled) {
    const { read, pinned: own, hasPods } = await readAndPin(world, newest, known, pinContext, signal)
    const { snapshot, directory, resolved, secrets, ingressMark, besides, reach } = read
    const ofVersions = releaseWarnings(world, own)
    if (isUnrecorded !== true) await keepWanted(world, own)
    const warned = changeEverywhere(own, state => ({
      ...state,
      warnings: [...state.warnings, ...ofVersions],
    }))
    const anew = blockDependentsAnywhere(
      warned,
      whereaboutsOf(own.deployments, sitesKnownTo(world, own.environment)),
    )
    const pinned = known !== undefined && isPinnedAs(anew, known.pinned) ? known.pinned : anew
    const chosen = await withChosenVersions(world, pinned, reach, pinContext, signal)
    const desired = known !== undefined && isPinnedAs(chosen, known.desired) ? known.desired : chosen
    const settled = isSettled(resolved, pinned) && !mayAnswer(desired)
    const checkedMs = known === undefined ? world.steadyMs() : known.tags.checkedMs
    world.memory.commits.setInForce({
      commit,
      snapshot,
      directory,
      resolved,
      secrets,
      ingressMark,
      besides,
      own,
      pinned,
      desired,
      ...optional('reach', reach),
      settled,
      hasPods,
      tags: { checkedMs, moved: [] },
    })
    if (stale === undefined && isUnrecorded !== true) recordGood(world, pinned)
    return {
      desired,
      ...(stale ? { stale } : {}),
      ...(mayAnswer(desired) ? { awaitsRegistry: true } : {}),
    }
  }
  const check = async () => movedTags(known.pinned, await pinContext(), signal)
  const moved = checkTags(world, known, check, signal)
  return { desired: warnedOf(moved)(known.desired), ...(stale ? { stale } : {}) }
}

/** A commit that is known already is only pinned again, unless its images may say more of themselves by now. */
async function readAndPin(
  world: World,
  newest: Vouched,
  known: ReadCommit | undefined,
  context: () => Promise<PinContext>,
  signal: AbortSignal,
): Promise<ResolvedPinned> {
  if (known === undefined || known.hasPods === true) return resolvePinned(world, newest, context, signal)
  const pinned = await pinImages(known.resolved, await context(), signal)
  return { read: known, pinned, hasPods: false }
}

/** An engine is asked for once, however many versions of sites are put together. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The same value for the same warnings, and for none, so that a later look can tell that nothing is new. */
const warnedOf = onceFor((moved: Tags['moved']) =>
  onceFor((pinned: DesiredState) =>
    moved.length === 0
      ? pinned
      : changeEverywhere(pinned, state => ({ ...state, warnings: [...state.warnings, ...moved] })),
  ),
)

async function lookUp(
  world: World,
  { maxAgeMs, lastGood: mayBeOld }: Freshness,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly good?: Vouched; readonly stale?: Failure }> {
  const { source, steadyMs } = world
  const { commits } = world.memory
  const recent = commits.lookedUp()
  if (recent !== undefined && steadyMs() - recent.atMs < maxAgeMs) return recent
  try {
    const commit = await source.lookUp(signal)
    commits.setLookedUp(commit, steadyMs())
    return { commit }
  } catch (error) {
    const stale = toFailure(error)
    const good = lastGood(world)
    if (!mayBeOld || stale.retry === 'never' || good === undefined) throw stale
    return { commit: good.commit, good, stale }
  }
}

/**
 * Returns what is remembered of the commit, unless secrets that it uses, or files of the ingress, have changed since
 * (G16).
 */
async function stillTrue(world: World, commit: string, signal: AbortSignal): Promise<ReadCommit | undefined> {
  const known = world.memory.commits.inForce()
  if (known?.commit !== commit) return undefined
  const { directory } = known
  const { environment: nameOnEngines } = known.resolved
  const environment = { directory, name: posix.basename(directory), environment: nameOnEngines }
  if (besides(world, environment) !== known.besides) return undefined
  const hasFiles = namesFiles(world.config.ingress)
  const { isAsked, mark, ofSites } = known.secrets
  if (!isAsked && !hasFiles) return known
  const snapshot = await snapshotAt(world, commit, signal)
  const secrets = await currentSecrets(world, snapshot, directory)
  if (isAsked && (await markOfSecrets(secrets, ofSites)) !== mark) return undefined
  if (!hasFiles) return known
  return settingsMark(await readIngress(world, environment, secrets)) === known.ingressMark
    ? known
    : undefined
}

/** Whether two looks found the same, and nothing new went wrong. */
export function isSameWanted(one: Wanted, other: Wanted): boolean {
  return one.desired === other.desired && one.stale?.code === other.stale?.code
}
