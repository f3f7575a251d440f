import { Failure } from '../../../../errors.ts'
import { type Change, keyOf } from '../../../../plan/change/change.ts'
import type { Held } from '../../../../plan/hold/held.ts'
import { type DesiredState, variantFor, wantedFrom } from '../../../../state/application/desired.ts'
import type { LinkedAbort } from '../../../../wait/linked-abort.ts'
import type { Wanted } from '../../../repository/desired.ts'
import type { Verdict } from '../../../site/decision/needs-approval.ts'
import { pass } from '../../../site/pass.ts'
import type { PassResult } from '../../../site/result/pass-result.ts'
import type { SiteWorld } from '../../../site/site.ts'
import { createSiteMemory } from '../../../site/site-memory.ts'
import { withRoom } from '../../../site/with-room.ts'
import type { NewerCommit } from '../../under-way.ts'
import { whyNotYet } from './why-not-yet.ts'

/** A pass that changes something, and whom to tell what was found meanwhile. */
export type ChangingPass = {
  /** All that it began. */
  readonly begun: readonly Change[]
  /** What of it has not ended. */
  readonly underWay: () => readonly Change[]
  /** What it leaves alone for a while because it failed before. */
  readonly spared: () => ReadonlyMap<string, Held> | undefined
  /** Ends its waits, so that the next pass begins. */
  readonly controller: Pick<LinkedAbort, 'abort'>
  readonly signal: AbortSignal
  /** Told which commit waits, and why; undefined: none does any more (G13). */
  readonly onWait: (newer: NewerCommit | undefined) => void
  /**
   * Told how the site stands by now: what waits on it, and what went wrong, what was being changed when that was seen, and
   * what else begins once the next pass can take over.
   */
  readonly onStanding: (
    result: PassResult,
    wanted: Wanted,
    busy: readonly Change[],
    coming: readonly Change[],
  ) => void
}

/** Who asked for another look: a person who wants something, or nobody. */
export type AskedBy = 'a-person' | 'nobody'

/**
 * Judges, each time it is called with what is wanted by then, whether another pass may take over from one that changes
 * something. There has to be a reason: a newer commit, one at which somebody holds an application that is being changed
 * (A12), or something to begin that this pass has not begun, such as what was approved since (D4), or what is tried again
 * because somebody asked for it. And nothing may be left half-done (G12, D18): the next pass can go on with all that is
 * under way. Then it ends the waits of the running one. It judges one at a time, and once more if it was called meanwhile.
 * Resolves once nothing is left to judge: whether it is known by then how the site stands.
 */
export function takeOver(
  site: SiteWorld,
  { desired }: Wanted,
  running: ChangingPass,
): (wanted: Wanted, asked: AskedBy) => Promise<boolean> {
  const { log } = site.world
  const { begun, underWay, controller, signal, onWait, onStanding } = running
  let told: string | undefined
  /** What is wanted by now, if that was not judged yet. */
  let next: Wanted | undefined
  let judging: Promise<boolean> | undefined
  /** What had ended when a person asked last, and may be tried again; undefined: nobody asked since the pass began. */
  let mayBeginAgain: ReadonlySet<Change> | undefined
  const noteAsked = () => {
    const changes = underWay()
    mayBeginAgain = new Set(begun.filter(one => !changes.includes(one)))
  }
  const { timesLet } = site.memory.convergence
  let timesHeard = timesLet()
  const judge = async (wanted: Wanted): Promise<boolean> => {
    const before = underWay()
    if (before.length === 0) return false
    // A word reaches the site's memory at once, and the site perhaps only by what came of it elsewhere.
    if (timesLet() !== timesHeard) noteAsked()
    timesHeard = timesLet()
    const isNewest = wanted.newest !== desired.revision.commit
    const commit = isNewest ? wanted.newest : otherCommit(site, desired, wanted.desired, before)
    const { newest, go, declined } = await lookOf(
      site,
      wanted,
      mayBeginAgain === undefined ? running.spared() : undefined,
      signal,
    )
    const changes = underWay()
    if (changes.length === 0 || signal.aborted) return false
    const isLeft = (change: Change) => begun.some(one => isSame(one, change) && !mayBeginAgain?.has(one))
    // What ended during the look was seen on its way.
    const wasUnderWay = (change: Change) => before.some(one => keyOf(one) === keyOf(change))
    const more = go.filter(change => isNew(change) && !wasUnderWay(change) && !isLeft(change))
    const stuck = stuckIn(wanted, changes, newest, declined)
    const [first] = stuck
    const which = isNewest ? 'a newer' : 'another'
    if (first === undefined && commit !== undefined) {
      log.info(`${which} commit supersedes the rollout`, { commit })
      controller.abort(new Failure('superseded', `superseded by commit ${commit}`))
      return false
    }
    if (first === undefined && more.length > 0) {
      const services = more.map(keyOf)
      log.info('something else may begin: another pass goes on with the rollout', { services })
      controller.abort(new Failure('superseded', 'something else may begin'))
      return false
    }
    onStanding(newest, wanted, before, more)
    if (commit === undefined || first === undefined) {
      onWait(undefined)
      return true
    }
    const { revision } = wanted.desired
    const subject = revision.commit === commit ? revision.subject : ''
    onWait({ commit, subject, reason: first.reason })
    if (told === commit) return true
    told = commit
    const services = stuck.map(({ key }) => key)
    log.info(`${which} commit cannot take over yet: the rollout goes on`, { commit, services })
    return true
  }
  const judgeAll = async (): Promise<boolean> => {
    try {
      let isKnown = false
      while (next !== undefined) {
        const wanted = next
        next = undefined
        isKnown = await judge(wanted)
      }
      return isKnown
    } finally {
      judging = undefined
    }
  }
  return (wanted, asked) => {
    if (asked === 'a-person') noteAsked()
    next = wanted
    judging ??= judgeAll()
    return judging
  }
}

/** Looks at the site as the next pass would, and returns what that would find, and begin. It remembers only who answered. */
async function lookOf(
  site: SiteWorld,
  wanted: Wanted,
  backingOff: ReadonlyMap<string, Held> | undefined,
  signal: AbortSignal,
): Promise<{ readonly newest: PassResult } & Pick<Verdict, 'go' | 'declined'>> {
  const apart = { ...site, memory: createSiteMemory(site.memory.stay) }
  let found: Pick<Verdict, 'go' | 'declined'> = { go: [], declined: [] }
  const newest = await withRoom(site, () =>
    pass(
      apart,
      wanted,
      {
        ...{ trigger: 'news', until: 'plan', isForNext: true },
        ...(backingOff === undefined ? {} : { backingOff }),
        onJudged: (_, verdict) => {
          found = verdict
        },
      },
      signal,
    ),
  )
  return { newest, go: found.go, declined: found.declined }
}

/** Repairs are made beside the rollout, and what goes back is part of it. */
function isNew(change: Change): boolean {
  return change.cause !== 'drifted'
}

/** After a failure the rest may be a start where a create was begun, so the release decides. */
function isSame(one: Change, other: Change): boolean {
  const isRemoved = ({ action }: Change) => action === 'remove'
  return keyOf(one) === keyOf(other) && one.release === other.release && isRemoved(one) === isRemoved(other)
}

/** Returns the commit of which one of the applications under way is wanted now, if that was another one before. */
function otherCommit(
  { engine: { site } }: SiteWorld,
  before: DesiredState,
  now: DesiredState,
  changes: readonly Change[],
): string | undefined {
  const commitIn = (desired: DesiredState, change: Change) => wantedFrom(variantFor(desired, site), change)
  const other = changes.find(change => commitIn(now, change) !== commitIn(before, change))
  return other && commitIn(now, other)
}

/**
 * Returns the changes under way from which the next pass could not take over, with the reason: what is wanted cannot be
 * read, or they are held or wait.
 */
function stuckIn(
  wanted: Wanted,
  changes: readonly Change[],
  newest: PassResult,
  declined: readonly Change[],
): readonly { readonly key: string; readonly reason: string }[] {
  return changes.flatMap(change => {
    const reason = wanted.unreadable ? 'it cannot be read' : whyNotYet(change, newest, declined)
    return reason === undefined ? [] : [{ key: keyOf(change), reason }]
  })
}
