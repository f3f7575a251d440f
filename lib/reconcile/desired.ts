import type { Engine } from '../engine.ts'
import { type Failure, toFailure } from '../errors.ts'
import { chooseEnvironment, findEnvironments } from '../manifest/environments.ts'
import { loginFor } from '../registry/credentials.ts'
import { movedTags } from '../registry/moved.ts'
import { type PinContext, pinImages } from '../registry/pin.ts'
import { resolve } from '../resolve.ts'
import { blockDependents } from '../spec/requires.ts'
import type { DesiredState } from '../state/desired.ts'
import { containersOf } from '../state/members.ts'
import { ingressSettings, markOf, namesFiles } from './ingress.ts'
import { currentSecrets, watched } from './secrets.ts'
import type { Tags, World } from './world.ts'

export type Freshness = {
  /** A ref that was looked up this recently is taken as it was. */
  readonly maxAgeMs: number
  /** Whether the last good commit will do while the source does not answer. */
  readonly lastGood: boolean
}

export type Wanted = {
  readonly desired: DesiredState
  /** Why the source could not be asked, where the last good commit was taken instead. */
  readonly stale?: Failure
}

/**
 * What the repository wants now, every image pinned. A commit that is known costs one look-up of the ref and no
 * registry call. Fails when the source, or the manifest as a whole, cannot be read: then nothing is known (G4, D15).
 */
export async function desiredState(
  world: World,
  engine: Engine,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Wanted> {
  const { commit, stale } = await lookUp(world, freshness, signal)
  const pinContext = {
    engine,
    resolutions: world.journal.resolutions,
    login: (host: string) => loginFor(world.config.registries, host),
    commit,
    pauses: world.pauses,
  }
  const known = await stillTrue(world, commit, signal)
  if (known === undefined || !known.settled) {
    const { directory, resolved, secrets, ingressMark } =
      known ?? (await resolveCommit(world, commit, signal))
    const pinned = blockDependents(await pinImages(resolved, pinContext, signal))
    const settled = isSettled(resolved, pinned)
    const checkedMs = known === undefined ? world.nowMs() : known.tags.checkedMs
    world.memory.desired = {
      commit,
      directory,
      resolved,
      secrets,
      ingressMark,
      pinned,
      settled,
      tags: { checkedMs, moved: [] },
    }
    if (stale === undefined)
      world.journal.setLastGood(pinned.environment, { commit, revision: pinned.revision })
    return { desired: pinned, ...(stale ? { stale } : {}) }
  }
  const { pinned } = known
  const tags = await currentTags(world, known, pinContext, signal)
  world.memory.desired = { ...known, tags }
  const desired = { ...pinned, warnings: [...pinned.warnings, ...tags.moved] }
  return { desired, ...(stale ? { stale } : {}) }
}

/** How often a commit's tags are looked at again; a registry call for each, so not often (G21). */
const tagsEveryMs = 60 * 60_000

async function currentTags(
  { nowMs }: World,
  { pinned, tags }: NonNullable<World['memory']['desired']>,
  context: PinContext,
  signal: AbortSignal,
): Promise<Tags> {
  if (nowMs() - tags.checkedMs < tagsEveryMs) return tags
  return { checkedMs: nowMs(), moved: await movedTags(pinned, context, signal) }
}

async function lookUp(
  { source, memory, nowMs, journal, environment }: World,
  { maxAgeMs, lastGood }: Freshness,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly stale?: Failure }> {
  const recent = memory.lookedUp
  if (recent !== undefined && nowMs() - recent.atMs < maxAgeMs) return recent
  try {
    const commit = await source.lookUp(signal)
    memory.lookedUp = { commit, atMs: nowMs() }
    return { commit }
  } catch (error) {
    const stale = toFailure(error)
    const commit =
      memory.desired?.commit ??
      (environment === undefined ? undefined : journal.lastGood(environment)?.commit)
    if (!lastGood || stale.retry === 'never' || commit === undefined) throw stale
    return { commit, stale }
  }
}

/** What is remembered of the commit, unless secrets that it needs, or files of the ingress, have changed since (G16). */
async function stillTrue(
  world: World,
  commit: string,
  signal: AbortSignal,
): Promise<World['memory']['desired']> {
  const known = world.memory.desired
  if (known?.commit !== commit) return undefined
  const hasFiles = namesFiles(world.config.ingress)
  if (!known.secrets.isAsked && !hasFiles) return known
  const snapshot = await world.source.snapshot(commit, signal)
  const secrets = await currentSecrets(world, snapshot, known.directory)
  if (known.secrets.isAsked && secrets.mark !== known.secrets.mark) return undefined
  if (!hasFiles) return known
  return markOf(await ingressSettings(world.config.ingress, secrets)) === known.ingressMark
    ? known
    : undefined
}

type Resolved = Pick<
  NonNullable<World['memory']['desired']>,
  'directory' | 'resolved' | 'secrets' | 'ingressMark'
>

async function resolveCommit(world: World, commit: string, signal: AbortSignal): Promise<Resolved> {
  const { registry, policy, healthyMs, sandbox, ingress } = world.config
  const snapshot = await world.source.snapshot(commit, signal)
  const environment = chooseEnvironment(await findEnvironments(snapshot), world.environment)
  const all = await currentSecrets(world, snapshot, environment.directory)
  const { secrets, seen } = watched(all)
  const read = await ingressSettings(ingress, all)
  const loaded = read === undefined ? [] : world.journal.routes(environment.name)
  const resolved = await resolve(snapshot, environment, {
    source: world.source.name,
    policy,
    healthyMs,
    sandboxImage: sandbox.image,
    secrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined || read === undefined
      ? {}
      : { ingress: { pool: ingress.subnets, holdMs: ingress.holdMs, make: { read, loaded } } }),
  })
  const warnings = seen().isAsked ? (secrets.warnings ?? []) : []
  return {
    directory: environment.directory,
    resolved: { ...resolved, warnings: [...resolved.warnings, ...warnings] },
    secrets: seen(),
    ingressMark: markOf(read),
  }
}

/** Nothing is left that a later question to a registry could change. */
function isSettled(resolved: DesiredState, pinned: DesiredState): boolean {
  if (pinned.warnings.some(({ code }) => code === 'tag-unverified')) return false
  const unknown = pinned.applications.some(({ services }) =>
    services.some(service => containersOf(service).some(({ image }) => image.pin.state === 'unknown')),
  )
  return !unknown && pinned.blocked.length === resolved.blocked.length
}
