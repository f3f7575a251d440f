import { listenersOf } from '../config/listeners.ts'
import { neighboursOf, reachOf } from '../config/reach.ts'
import { type Failure, toFailure } from '../errors.ts'
import type { ReadSettings } from '../ingress/settings.ts'
import { locateEnvironment } from '../manifest/environments.ts'
import { loginFor } from '../registry/credentials.ts'
import { movedTags } from '../registry/moved.ts'
import { type PinContext, pinImages } from '../registry/pin.ts'
import { resolve } from '../resolve.ts'
import { blockDependents } from '../spec/requires.ts'
import type { DesiredState } from '../state/desired.ts'
import { containersOf } from '../state/members.ts'
import type { Secrets } from '../state/secrets.ts'
import { identify, writtenName } from './identify.ts'
import { ingressSettings, markOf, namesFiles } from './ingress.ts'
import { rivalOf } from './rival-ingress.ts'
import { currentSecrets, watched } from './secrets.ts'
import { reachableEngine } from './site.ts'
import { isKept, lastGood, type Vouched, vouched } from './vouched.ts'
import type { Tags, World } from './world.ts'

export type Freshness = {
  /** A look-up of the ref of at most this age is used again. */
  readonly maxAgeMs: number
  /** Whether the last good commit may be used if the source does not answer, or its newest commit cannot be read. */
  readonly lastGood: boolean
  /** No registry is asked again about what it did not answer before. */
  readonly asPinned?: boolean
}

export type Wanted = {
  readonly desired: DesiredState
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
  let newest = instead
  try {
    newest ??= await vouched(world, commit, signal)
    return await stateOf(world, newest, freshness, stale, signal)
  } catch (error) {
    const good = lastGood(world)
    if (!freshness.lastGood || signal.aborted || good === undefined) throw error
    const failure = toFailure(error)
    if (!isKept(failure, newest, commit, good)) throw error
    return { ...(await stateOf(world, good, freshness, failure, signal)), unreadable: true }
  }
}

/** Returns what a commit wanted, with its images as they were pinned then. */
export async function stateAt(world: World, commit: string, signal: AbortSignal): Promise<DesiredState> {
  const { resolved } = await resolveCommit(world, { commit }, signal)
  return pinImages(resolved, await pinning(world, commit, signal), signal)
}

/** The sites of an environment are known once a commit is resolved. */
async function pinning(world: World, commit: string, signal: AbortSignal): Promise<PinContext> {
  const { journal, config, pauses } = world
  const engine = await reachableEngine(world.engines, signal)
  const login = (host: string) => loginFor(config.registries, host)
  return { engine, resolutions: journal.resolutions, login, commit, pauses }
}

async function stateOf(
  world: World,
  newest: Vouched,
  { asPinned = false }: Freshness,
  stale: Failure | undefined,
  signal: AbortSignal,
): Promise<Wanted> {
  const { commit } = newest
  const pinContext = () => pinning(world, commit, signal)
  const known = await stillTrue(world, commit, signal)
  if (known === undefined || !(known.settled || asPinned)) {
    const { directory, resolved, secrets, ingressMark, besides } =
      known ?? (await resolveCommit(world, newest, signal))
    const pinned = blockDependents(await pinImages(resolved, await pinContext(), signal))
    const settled = isSettled(resolved, pinned)
    const checkedMs = known === undefined ? world.steadyMs() : known.tags.checkedMs
    world.memory.desired = {
      commit,
      directory,
      resolved,
      secrets,
      ingressMark,
      besides,
      pinned,
      settled,
      tags: { checkedMs, moved: [] },
    }
    if (stale === undefined)
      world.journal.setLastGood(pinned.environment, { commit, revision: pinned.revision })
    return { desired: pinned, ...(stale ? { stale } : {}) }
  }
  const { pinned } = known
  const tags = await currentTags(world, known, await pinContext(), signal)
  world.memory.desired = { ...known, tags }
  const desired = { ...pinned, warnings: [...pinned.warnings, ...tags.moved] }
  return { desired, ...(stale ? { stale } : {}) }
}

/** How often the tags of a commit are checked again. Each costs a registry call, so it is seldom (G21). */
const tagsEveryMs = 60 * 60_000

async function currentTags(
  { steadyMs }: World,
  { pinned, tags }: NonNullable<World['memory']['desired']>,
  context: PinContext,
  signal: AbortSignal,
): Promise<Tags> {
  if (steadyMs() - tags.checkedMs < tagsEveryMs) return tags
  return { checkedMs: steadyMs(), moved: await movedTags(pinned, context, signal) }
}

async function lookUp(
  world: World,
  { maxAgeMs, lastGood: mayBeOld }: Freshness,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly good?: Vouched; readonly stale?: Failure }> {
  const { source, memory, steadyMs } = world
  const recent = memory.lookedUp
  if (recent !== undefined && steadyMs() - recent.atMs < maxAgeMs) return recent
  try {
    const commit = await source.lookUp(signal)
    memory.lookedUp = { commit, atMs: steadyMs() }
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
async function stillTrue(
  world: World,
  commit: string,
  signal: AbortSignal,
): Promise<World['memory']['desired']> {
  const known = world.memory.desired
  if (known?.commit !== commit) return undefined
  const environment = world.memory.place?.name ?? known.resolved.environment
  if (besides(world, environment) !== known.besides) return undefined
  const hasFiles = namesFiles(world.config.ingress)
  if (!known.secrets.isAsked && !hasFiles) return known
  const snapshot = await world.source.snapshot(commit, signal)
  const secrets = await currentSecrets(world, snapshot, known.directory)
  if (known.secrets.isAsked && secrets.mark !== known.secrets.mark) return undefined
  if (!hasFiles) return known
  return markOf(await readIngress(world, environment, secrets)) === known.ingressMark ? known : undefined
}

type Resolved = Pick<
  NonNullable<World['memory']['desired']>,
  'directory' | 'resolved' | 'secrets' | 'ingressMark' | 'besides'
>

/**
 * Returns the operator's settings of an environment's ingress. They cannot be used while the ingress of another
 * environment has its ports.
 */
async function readIngress(
  world: World,
  environment: string,
  secrets: Pick<Secrets, 'compose'>,
): Promise<ReadSettings | undefined> {
  const { ingress } = world.config
  const problem = rivalOf(world, environment)
  if (problem !== undefined) return { state: 'unusable', problem }
  return ingressSettings(ingress && { ...ingress, ...listenersOf(ingress, environment) }, secrets)
}

async function resolveCommit(
  world: World,
  { commit, ...signature }: Vouched,
  signal: AbortSignal,
): Promise<Resolved> {
  const { registry, policy, healthyMs, sandbox, ingress } = world.config
  const snapshot = await world.source.snapshot(commit, signal)
  const { environment, places } = await locateEnvironment(snapshot, writtenName(world))
  const { identity, warnings: ofIdentity } = await identify(world, environment, places, signal)
  const all = await currentSecrets(world, snapshot, environment.directory)
  const { secrets, seen } = watched(all)
  const read = await readIngress(world, environment.name, all)
  const loaded = read === undefined ? [] : world.journal.routes(identity.environment)
  const resolved = await resolve(snapshot, environment, {
    source: identity.source,
    address: identity.address,
    nameOnEngines: identity.environment,
    policy,
    healthyMs,
    sandboxImage: sandbox.image,
    secrets,
    ...(registry === undefined ? {} : { registry }),
    ...(ingress === undefined || read === undefined
      ? {}
      : { ingress: { ...reachOf(ingress, world.config, isRunning(world)), make: { read, loaded } } }),
  })
  const warnings = [...ofIdentity, ...(seen().isAsked ? (secrets.warnings ?? []) : [])]
  return {
    directory: environment.directory,
    resolved: {
      ...resolved,
      revision: { ...resolved.revision, ...signature },
      warnings: [...resolved.warnings, ...warnings],
    },
    secrets: seen(),
    ingressMark: markOf(read),
    besides: besides(world, environment.name),
  }
}

/** Returns whether an environment has an ingress, according to the routes that were loaded for it. */
function isRunning({ journal }: World): (environment: string) => boolean {
  return environment => journal.hasRoutes(environment)
}

/** Returns how the ingresses of other environments affect this one, as a text. */
function besides(world: World, environment: string): string {
  const { ingress } = world.config
  const neighbours = ingress && neighboursOf(ingress, world.config, environment, isRunning(world))
  return JSON.stringify([rivalOf(world, environment)?.message, neighbours])
}

/** Whether no later answer of a registry could change anything. */
function isSettled(resolved: DesiredState, pinned: DesiredState): boolean {
  if (pinned.warnings.some(({ code }) => code === 'tag-unverified')) return false
  const unknown = pinned.applications.some(({ services }) =>
    services.some(service => containersOf(service).some(({ image }) => image.pin.state === 'unknown')),
  )
  return !unknown && pinned.blocked.length === resolved.blocked.length
}
