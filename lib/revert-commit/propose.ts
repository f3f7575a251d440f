import { Failure } from '../errors.ts'
import { type CommitWords, type Draft, draftOn } from '../git/draft/draft.ts'
import { shortName } from '../git/ref.ts'
import type { Branch, Writing } from '../git/writing.ts'
import { locateEnvironment } from '../manifest/environments.ts'
import { optional } from '../object.ts'
import type { ResolveContext } from '../resolve.ts'
import type { DesiredState } from '../state/application/desired.ts'
import { versionOf } from '../state/application/version-of.ts'
import type { EnvironmentPlace } from '../state/identity.ts'
import { shortCommit } from '../state/repository/revision.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import { firstAndMore } from '../text/first-and-more.ts'
import { unknownName } from '../text/suggestion/unknown-name.ts'
import { type EnvironmentThen, environmentsAt } from './environments.ts'
import { statedFacts } from './facts.ts'
import { differencesBetween, expectedFor, type KnownFacts } from './judge.ts'
import { changesForApplication } from './of-application.ts'
import { changesForEnvironment } from './of-environment.ts'
import { bytesAt, type Side } from './side.ts'

/** The repository, and how what it says is understood. */
export type Ground = {
  readonly writing: Writing
  readonly snapshot: (commit: string, signal: AbortSignal) => Promise<Snapshot>
  readonly context: ResolveContext
}

/** What is to be as it was. */
export type RollbackWish = {
  /** As a person writes it; absent: the only environment. */
  readonly environment?: string
  /** Absent: the whole environment. */
  readonly application?: string
  /**
   * Returns the commit to go back to, and the version that was asked for.
   * @param present the version that is wanted now; undefined: none, or it cannot be told
   */
  readonly goal: (place: EnvironmentPlace, present: string | undefined) => Goal | Promise<Goal>
  readonly words: (told: GoingBack) => CommitWords
}

export type Goal = { readonly commit: string; readonly version?: string }

/** What a proposal does, for those who read of it. */
export type GoingBack = {
  readonly environment: EnvironmentPlace
  readonly application?: string
  /** The version that is wanted now, and the newest commit. */
  readonly from: { readonly version?: string; readonly commit: string }
  /** The version that is wanted afterwards, and the commit that has it. */
  readonly to: { readonly version?: string; readonly commit: string }
}

/** A commit that brings something back, and that nobody has but us. */
export type Proposal = {
  readonly told: GoingBack
  readonly branch: Branch
  readonly words: CommitWords
  readonly draft: Draft
  readonly files: readonly FileChange[]
  /** What the environment wants now; absent: it cannot be read. */
  readonly before?: DesiredState
  /** What the environment wants with it. */
  readonly after: DesiredState
}

/** A file with its bytes before and after; undefined: it is not there. */
export type FileChange = {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

/**
 * Makes the commit, on top of the newest one, that brings back an application or an environment (A12, E23). What the
 * repository says with it is read before anybody sees it: the application, or the environment, has to be exactly as it
 * was then, and everything else exactly as it is now, in every environment of the repository. Otherwise fails with
 * `rollback-refused`. Writes nothing. Undefined if everything is as it was.
 */
export async function propose(
  { writing, snapshot, context }: Ground,
  wish: RollbackWish,
  signal: AbortSignal,
): Promise<{ readonly told: GoingBack; readonly proposal?: Proposal }> {
  const sideOf = async (commit: string): Promise<Side> => ({
    commit,
    snapshot: await snapshot(commit, signal),
    read: await writing.objects(commit, signal),
  })
  const { application } = wish
  const branch = await writing.branch(signal)
  const now = await sideOf(branch.commit)
  const { environment: place } = await locateEnvironment(now.snapshot, wish.environment)
  const before = await environmentsAt(now.snapshot, context)
  const present = versionIn(stateOf(before, place), application)
  const goal = await wish.goal(place, present)
  const then = await sideOf(goal.commit)
  const earlier = await environmentsAt(then.snapshot, context, place.directory)
  const here = applicationNames(stateOf(before, place))
  const wanted = wantedThen(earlier, place, application, goal, here)
  const told: GoingBack = {
    environment: place,
    ...optional('application', application),
    from: { ...optional('version', present), commit: now.commit },
    to: { ...optional('version', goal.version ?? versionIn(wanted, application)), commit: then.commit },
  }
  const { directory } = place
  const changes =
    application === undefined
      ? await changesForEnvironment(directory, now, then)
      : await changesForApplication(
          { directory, application, ...optional('version', goal.version) },
          now,
          then,
        )
  if (changes.size === 0) {
    refuseDifferences(told, { before, after: before, wanted })
    return { told }
  }
  const words = wish.words(told)
  const draft = await draftOn(branch.commit, changes, words, shortName(branch.name), now.read)
  const after = await environmentsAt(draft.snapshot, context)
  refuseDifferences(told, { before, after, wanted })
  const files = [...changes].map(async ([path, bytes]) => ({
    path,
    before: await bytesAt(now, path),
    after: bytes,
  }))
  const states = { ...optional('before', stateOf(before, place)), after: stateOf(after, place) ?? wanted }
  return { told, proposal: { told, branch, words, draft, files: await Promise.all(files), ...states } }
}

function stateOf(all: readonly EnvironmentThen[], place: EnvironmentPlace): DesiredState | undefined {
  const found = all.find(one => one.place.directory === place.directory)
  return found !== undefined && 'state' in found ? found.state : undefined
}

/** Returns the version that is wanted of an application: that of its deployment goes before its own (A12). */
function versionIn(state: DesiredState | undefined, application: string | undefined): string | undefined {
  const own = state?.applications.find(({ name }) => name === application)
  const deployment = state?.deployments?.find(one => one.application === application)
  return deployment?.version ?? (own && versionOf(own))
}

function wantedThen(
  earlier: readonly EnvironmentThen[],
  place: EnvironmentPlace,
  application: string | undefined,
  { commit }: Goal,
  here: readonly string[],
): DesiredState {
  const [found] = earlier
  const where = `${place.name} in ${shortCommit(commit)}`
  if (found === undefined)
    throw refused(`${place.directory}: there is no such environment in ${shortCommit(commit)}`)
  if ('unreadable' in found) throw refused(`${where} could not be read: ${found.unreadable}`)
  const { state } = found
  if (application === undefined || state.applications.some(({ name }) => name === application)) return state
  const why = state.blocked.find(one => one.application === application)?.problems[0].message
  if (why === undefined && !here.includes(application))
    throw unknownName('application', application, [...here, ...applicationNames(state)])
  throw refused(`${application}: ${where} did not have it${why === undefined ? '' : ` in order: ${why}`}`)
}

function applicationNames(state: DesiredState | undefined): readonly string[] {
  const { applications = [], blocked = [] } = state ?? {}
  return [...applications.map(({ name }) => name), ...blocked.map(({ application }) => application)]
}

type Compared = {
  readonly before: readonly EnvironmentThen[]
  readonly after: readonly EnvironmentThen[]
  readonly wanted: DesiredState
}

function refuseDifferences(told: GoingBack, { before, after, wanted }: Compared): void {
  const { environment, application } = told
  const isOwn = ({ place }: EnvironmentThen) => place.directory === environment.directory
  const others = before
    .filter(one => !isOwn(one))
    .flatMap(one => {
      const same = after.find(({ place }) => place.directory === one.place.directory)
      const sites = sitesThatDiffer(one, same)
      return differencesBetween(knownOf(one, sites), knownOf(same, sites)).map(
        what => `in ${one.place.name}, ${what}`,
      )
    })
  const [then, now] = [before.find(isOwn), after.find(isOwn)]
  const sites = sitesThatDiffer(then, now, { state: wanted })
  const found = knownOf(now, sites, application)
  const own = differencesBetween(expectedOf(then, found, wanted, sites, application), found)
  const version = versionIn(stateOf(after, environment), application)
  const isOtherVersion = own.length === 0 && application !== undefined && version !== told.to.version
  const all = [
    ...own.map(what => `in ${environment.name}, ${what}`),
    ...(isOtherVersion ? [`in ${environment.name}, the version would be ${version ?? 'none'}`] : []),
    ...others,
  ]
  if (all.length === 0) return
  const what = application ?? environment.name
  throw refused(
    `${what} cannot go back to ${shortCommit(told.to.commit)} alone: ${firstAndMore(all, mostNamed, '; ')}`,
  )
}

const gone: KnownFacts = { unreadable: 'it would be gone' }

/** An environment that cannot be read now may go back as a whole only. */
function expectedOf(
  now: EnvironmentThen | undefined,
  found: KnownFacts,
  wanted: DesiredState,
  sites: readonly string[],
  application: string | undefined,
): KnownFacts {
  const then = { facts: statedFacts(wanted, sites, application) }
  if (application === undefined || now === undefined || 'unreadable' in now || 'unreadable' in found)
    return then
  return expectedFor(application, statedFacts(now.state, sites, application), then.facts, found.facts)
}

function knownOf(one: EnvironmentThen | undefined, sites: readonly string[], besides?: string): KnownFacts {
  if (one === undefined) return gone
  return 'state' in one ? { facts: statedFacts(one.state, sites, besides) } : one
}

/** Returns the sites that differ from all others in any of these. */
function sitesThatDiffer(
  ...all: readonly (EnvironmentThen | { readonly state: DesiredState } | undefined)[]
): readonly string[] {
  const states = all.flatMap(one => (one !== undefined && 'state' in one ? one.state : []))
  return [...new Set(states.flatMap(({ variants }) => [...(variants?.keys() ?? [])]))]
}

/** The most differences that one message names. */
const mostNamed = 5

function refused(message: string): Failure {
  return new Failure('rollback-refused', message)
}
