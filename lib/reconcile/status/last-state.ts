import type { KeptState } from '../../journal/environments/last-states.ts'
import type { Journal } from '../../journal/journal.ts'
import { optional } from '../../object.ts'
import { joinedPlanId } from '../../plan/id.ts'
import type { Outcome } from '../../state/pass/outcome.ts'
import type { Revision } from '../../state/repository/revision.ts'
import type { SyncStatus } from '../../state/running/health.ts'
import { byText } from '../../text/order.ts'
import { isoText } from '../../text/time.ts'
import { greatest } from '../extremes.ts'
import { changedAfter, contentsAfter } from '../fleet/findings/contents.ts'
import { type WaitingItem, waitingItems } from '../site/decision/needs-approval.ts'
import { saidTogether } from '../site/result/join-results.ts'
import type { PassResult } from '../site/result/pass-result.ts'
import { isOfSite } from '../site/result/why-unreached.ts'
import type { ApplicationStatus } from './application/application-status.ts'
import type { PassError } from './error.ts'
import { asSeenBefore } from './seen-before.ts'

/**
 * The last known state of a site, or of an environment on all its sites. It outlives the daemon, and is kept while
 * commits cannot be read.
 */
export type LastState = {
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** The commit that was compared with what runs. */
  readonly revision?: Revision
  /** The newest commit, if it is another one and not for a site that is not reached: `errors` say why it is not used. */
  readonly unread?: string
  /** The plan that was due. */
  readonly plan?: string
  /** The plans of sites that it was put together from; absent: it is of one site. */
  readonly ofPlans?: readonly string[]
  /** What in it waits for a person, as an approval names it; absent: nothing. */
  readonly waiting?: readonly WaitingItem[]
  readonly errors: readonly PassError[]
  /** Those of several sites that are not reached; absent: all are. */
  readonly unreachable?: readonly UnreachableSite[]
  /** Whether the pass saw the containers of a site. Otherwise all are as they were known before. */
  readonly isSeen: boolean
  readonly applications: readonly ApplicationStatus[]
  /** In which contents applications with deployments were last in place on a site, by application; absent: not known. */
  readonly contents?: Readonly<Record<string, string>>
  /** The applications of which nobody has seen yet what became of them on a site; absent: there are none. */
  readonly changed?: readonly string[]
}

/** A site that is not reached, since when (in ISO 8601), and why. */
export type UnreachableSite = Pick<PassError, 'code' | 'message' | 'hint'> & {
  readonly site: string
  readonly since: string
}

/** What was known before a pass, and when its containers were seen, in ms since 1970. */
export type KnownBefore = { readonly state: LastState | undefined; readonly seenMs: number | undefined }

/**
 * Returns the state after a pass. A pass without a plan changes the errors, and keeps everything else that was known
 * before, unless it says itself how the applications of its site are. So do the applications of a site that did not answer. `newest` is the commit that the ref means now, `atMs`
 * the time of day at the end of the pass. Undefined if the pass was interrupted and says nothing.
 */
export function stateAfter(
  before: KnownBefore,
  result: PassResult,
  newest: string | undefined,
  atMs: number,
): LastState | undefined {
  const { outcome, sync, errors, unreachable, plan, desired, status, waiting } = result
  if (plan === undefined && (outcome === 'interrupted' || outcome === 'superseded')) return undefined
  const unseen = plan?.unseen ?? []
  // It may have fallen silent after that.
  const wasSeen = plan !== undefined && unseen.length === 0
  const of = plan ?? (status.length === 0 ? undefined : desired)
  const known =
    of === undefined
      ? before.state
      : {
          revision: of.revision,
          applications: [...sinceFirstHeld(before, status, atMs), ...lastSeen(before, unseen, desired, atMs)],
        }
  const revision = known?.revision ?? desired?.revision
  const read = desired?.revision ?? revision
  const isUnread =
    newest !== undefined && newest !== read?.commit && errors.some(({ code }) => !isOfSite(code))
  return {
    outcome,
    sync,
    ...(revision === undefined ? {} : { revision }),
    ...(isUnread ? { unread: newest } : {}),
    ...(plan === undefined || plan.changes.length === 0 ? {} : { plan: plan.id }),
    ...(waiting.length === 0 ? {} : { waiting: waitingItems(waiting) }),
    errors,
    ...(unreachable === undefined
      ? {}
      : { unreachable: sinceFirst(wasSeen ? undefined : before.state, unreachable, atMs) }),
    isSeen: wasSeen || (plan !== undefined && status.length > 0),
    applications: known?.applications ?? [],
    ...optional(
      'contents',
      contentsAfter(() => before.state?.contents, result),
    ),
    ...optional(
      'changed',
      changedAfter(() => before.state?.changed, result),
    ),
  }
}

/** Says since when sites are not reached: each since the first pass in a row that did not reach it. */
function sinceFirst(
  state: LastState | undefined,
  unreachable: readonly PassError[],
  atMs: number,
): readonly UnreachableSite[] {
  const before = unreachedIn(state)
  const now = isoText(atMs)
  return unreachable.map(({ resource: site = '', code, message, hint }) => {
    const since = before.get(site) ?? now
    return { site, since, code, message, hint }
  })
}

/**
 * Says since when applications are held or blocked, where that does not follow from the reason itself (G13): since the
 * first pass that found them so, with the same version wanted.
 */
function sinceFirstHeld(
  before: KnownBefore,
  status: readonly ApplicationStatus[],
  atMs: number,
): readonly ApplicationStatus[] {
  const held = status.filter(({ code, since }) => code !== undefined && since === undefined)
  if (held.length === 0) return status
  const placeOf = ({ site, application }: ApplicationStatus) => JSON.stringify([site, application])
  const known = new Map(before.state?.applications.map(one => [placeOf(one), one]))
  return status.map(one => {
    if (one.code === undefined || one.since !== undefined) return one
    const earlier = known.get(placeOf(one))
    const isSame = earlier?.code === one.code && earlier.wantedVersion === one.wantedVersion
    return { ...one, since: (isSame ? earlier.since : undefined) ?? isoText(atMs) }
  })
}

/** Returns the applications of sites that did not answer, as they were seen before. */
function lastSeen(
  known: KnownBefore,
  unseen: readonly string[],
  desired: PassResult['desired'],
  atMs: number,
): readonly ApplicationStatus[] {
  if (unseen.length === 0) return []
  const { state, seenMs } = known
  const sites = new Set(unseen)
  const before = (state?.applications ?? []).filter(({ site }) => sites.has(site))
  return asSeenBefore(before, desired, { seenMs: seenMs || atMs, atMs })
}

/** Returns the sites that are not reached, and since when. */
export function unreachedIn(state: Pick<LastState, 'unreachable'> | undefined): ReadonlyMap<string, string> {
  return new Map(state?.unreachable?.map(({ site, since }) => [site, since]))
}

/** Returns what the journal knows of one site. It is read when it is needed: a pass that sees all as wanted does not. */
export function keptOf(journal: Pick<Journal, 'keptState'>, environment: string, site: string): KnownBefore {
  let known: { readonly kept: KeptState | undefined } | undefined
  const read = () => {
    known ??= { kept: journal.keptState(environment, site) }
    return known.kept
  }
  return {
    get state() {
      return asLastState(read()?.state)
    },
    get seenMs() {
      return read()?.seenMs
    },
  }
}

/** The last known state of one site, or of the environment as a whole, which has the empty name. */
export type Kept = Omit<KeptState, 'state'> & { readonly state: LastState | undefined }

/**
 * Returns what the journal knows of an environment on all its sites. It takes longer the more sites there are: a daemon
 * reads them in pieces.
 */
export function keptTogether(journal: Journal, environment: string): KnownTogether {
  return joinKept(journal.keptStates(environment).map(one => ({ ...one, state: asLastState(one.state) })))
}

/** What is known of an environment on all its sites together. */
export type KnownTogether = KnownBefore & {
  /** The plan of each site. While the repository cannot be read, there are none: nobody knows what would be made of it. */
  readonly parts: readonly WaitingPart[]
}

/**
 * Returns what is known of an environment on all its sites together. While the repository cannot be read, that is said of
 * all of them, and everything else is as it was known before.
 * @param sites those that there are: while nothing is known of one, they are not `Synced` together
 */
export function joinKept(all: readonly Kept[], sites: readonly string[] = []): KnownTogether {
  const kept = all.toSorted(byText(({ site }) => site))
  const states = kept.filter(({ site }) => site !== '').flatMap(({ state }) => state ?? [])
  const common = kept.find(({ site }) => site === '')?.state
  const seenMs = greatest(kept.map(one => one.seenMs))
  const [first, ...others] = states
  const parts = common === undefined ? kept.flatMap(partOf) : []
  if (first === undefined) return { state: common, seenMs, parts }
  const known = new Set(kept.map(({ site }) => site))
  const isWhole = sites.every(site => known.has(site))
  const seen = others.length === 0 ? first : joinTwoOrMore(first, states)
  const joined = isWhole || seen.sync !== 'Synced' ? seen : { ...seen, sync: 'Unknown' as const }
  if (common === undefined) return { state: joined, seenMs, parts }
  const { plan: _, ofPlans: ____, unread: __, ...other } = joined
  const { applications: ___, ...trouble } = common
  return { state: { ...other, ...trouble }, seenMs, parts }
}

function joinTwoOrMore(first: LastState, states: readonly LastState[]): LastState {
  const plans = states.flatMap(({ plan }) => plan ?? [])
  const { revision } = first
  const unreachable = states.flatMap(state => state.unreachable ?? [])
  const unread = states.find(state => state.unread !== undefined)?.unread
  const said = saidTogether(states)
  const commits = new Set(states.flatMap(state => state.revision?.commit ?? []))
  return {
    ...said,
    // What some sites have was compared with a commit, and what others have with another one (A34).
    sync: said.sync === 'Synced' && commits.size > 1 ? 'Unknown' : said.sync,
    ...(revision === undefined ? {} : { revision }),
    ...(unread === undefined ? {} : { unread }),
    ...(plans.length === 0 ? {} : { plan: joinedPlanId(plans), ofPlans: plans }),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    isSeen: states.some(({ isSeen }) => isSeen),
    applications: states.flatMap(({ applications }) => applications),
  }
}

/** The plan of one site, and what in it waits for a person. */
export type WaitingPart = {
  readonly site: string
  readonly planId: string
  readonly commit: string
  /** When the pass that found it ended. */
  readonly endedMs: number
  readonly items: readonly WaitingItem[]
  /** What went wrong in that pass. */
  readonly errors: readonly Pick<PassError, 'code' | 'message' | 'hint'>[]
}

function partOf({ site, state, seenMs }: Kept): readonly WaitingPart[] {
  const { plan: planId, revision, waiting: items = [], errors = [] } = state ?? {}
  return planId === undefined || revision === undefined
    ? []
    : [{ site, planId, commit: revision.commit, endedMs: seenMs, items, errors }]
}

/** Returns a state that `stateAfter` created and the journal kept. */
export function asLastState(kept: unknown): LastState | undefined {
  return kept as LastState | undefined
}
