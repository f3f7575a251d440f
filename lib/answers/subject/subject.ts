import type { Journal } from '../../journal/journal.ts'
import type { KnownOfRuns } from '../../reconcile/status/deployment/known-of-runs.ts'
import type { PassError } from '../../reconcile/status/error.ts'
import type { WaitingPart } from '../../reconcile/status/last-state.ts'
import type { Windows } from '../../state/fleet/window.ts'

/** Everything that one can speak about in one place, and the journal that records it. */
export type Audience = {
  readonly subjects: readonly Subject[]
  readonly journal: Journal
  /** The time of day. */
  readonly nowMs: () => number
}

/** One environment that is spoken about: as a running daemon knows it, or as the journal does while none runs. */
export type Subject = {
  /** Its name, under which everything is recorded; empty while nobody has read it. */
  name(): string
  /** Whether a person may mean it by that, besides by its name. */
  isWrittenAs(written: string): boolean
  /** What was last found of it, on all its sites together: it takes the longer the more there are. */
  found(): FoundState
  /** The names of its applications, as they are wanted and as they were last seen. */
  applications(): readonly string[]
  /** The sites on which a rollout of it is under way. */
  rollingOut(): readonly string[]
  /** How long an approval is in force, in ms. */
  readonly approvalExpiresMs: number
  /**
   * Waits until everything was looked at again, until `isEnough` after any pass, or for the time limit. A site that is
   * rolling out is looked at meanwhile. Resolves at once if nobody looks.
   */
  look(limitMs: number, isEnough?: () => boolean): Promise<void>
  /**
   * Waits until something is so after the end of a pass, or for the time limit. Asks for no pass. Resolves at once if
   * nobody looks.
   */
  until(isSo: () => boolean, limitMs: number): Promise<void>
  /** Asks for passes that heed what was said. Undefined if nobody looks. */
  request(): Heeding | undefined
  /** Asks the same for a word about a deployment: of the sites for which it means something else now. */
  requestOfDeployment(): Heeding | undefined
  /** Lets a plan be tried again that was applied and did not hold. */
  tryAgain(): void
  /** What is known of where the runs of its deployments stand, as whoever shows them goes by it. */
  ofRuns(): KnownOfRuns
  /** The names of its sites. */
  sites(): readonly string[]
  /** Why files of sites cannot be used, by the names of the sites. */
  unusable(): ReadonlyMap<string, Pick<PassError, 'message' | 'hint'>>
  /** The sites on which another process writes, so that nothing said here reaches them, and who it is. */
  rivals(): ReadonlyMap<string, Rival>
  /** The sites that have not said who writes there, and on which this process has not written either. */
  unasked(): ReadonlySet<string>
  /** The upgrade windows of its sites, by name; undefined: it is always open. */
  windows(): ReadonlyMap<string, Windows | undefined>
  /** Returns why what a commit says of it cannot be read; undefined: it can, or nobody looks. */
  unreadable(commit: string): Promise<string | undefined>
  /** Whether the configuration has no ingress run, neither Tallyman's nor one of the operator. */
  readonly hasNoIngress: boolean
  /** Has the ingress of a site tell load balancers whether to send it requests, because somebody said so. */
  setDraining(site: string, isDraining: boolean, who: string): Promise<void>
}

/** Why another process writes instead of this one, and who that is. */
export type Rival = Pick<PassError, 'message' | 'hint'>

/** How to follow what heeds an answer: how many passes had ended, and the first look at the repository after it. */
export type Heeding = { readonly from: number; readonly look: number }

/** What was last found of an environment. */
export type FoundState = {
  /** The plan of all its sites together; absent: nothing is due, or it is not known. */
  readonly plan?: { readonly id: string; readonly commit: string }
  /** What waits for a person on each site. */
  readonly parts: readonly WaitingPart[]
  /** The plans of sites in which nothing waits, such as those that somebody discarded. */
  readonly others: readonly WaitingPart[]
  /**
   * Returns the plans of sites that a plan consists of which was shown before others were looked at, if each is still
   * the plan of its site; empty: there is no such plan.
   */
  readonly shownEarlier?: (id: string) => readonly string[]
  /** The sites whose last pass changed something that no later pass has looked at. */
  readonly unverified: readonly string[]
  /** When that was found. */
  readonly endedMs: number
  readonly errors: readonly Pick<PassError, 'code' | 'message' | 'hint'>[]
}
