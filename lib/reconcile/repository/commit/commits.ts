import type { Problem } from '../../../errors.ts'
import type { Reach } from '../../../resolve/with-ingress.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { Snapshot } from '../../../state/repository/snapshot.ts'
import type { SecretsSeen } from '../../../state/secret/watched.ts'
import { mayAnswer } from '../registry-answers.ts'

/** When the tags of a commit were last checked, on the steady clock, and which had moved. */
export type Tags = { readonly checkedMs: number; readonly moved: readonly Problem[] }

/** What is known of the secrets that a commit was read with. */
export type ReadSecrets = SecretsSeen & {
  /** The directories of the sites whose own secrets were asked for. */
  readonly ofSites: readonly string[]
}

/** A commit that was read, and what it wants. */
export type ReadCommit = {
  readonly commit: string
  /** The repository at that commit. A directory cannot be read again as it was. */
  readonly snapshot: Snapshot
  /** The directory of the environment in the repository. */
  readonly directory: string
  readonly resolved: DesiredState
  readonly secrets: ReadSecrets
  /** The mark of the operator's settings of the ingress, whose files may be renewed at any time. */
  readonly ingressMark: string
  /**
   * What else affects it, as a text to compare: the ingresses of other environments, held versions, and the sites with
   * their labels.
   */
  readonly besides: string
  /** What the commit says, with its images pinned, whether it can be carried out or not. */
  readonly own: DesiredState
  /** What the commit itself wants. */
  readonly pinned: DesiredState
  /** That, with the versions in it that were chosen instead of its own; the same value if none was. */
  readonly desired: DesiredState
  /** How its ingress is made; absent: there is none. */
  readonly reach?: Reach
  /** Whether every image is pinned and nothing waits for a registry. */
  readonly settled: boolean
  /** It has pods. As long as it is not settled, it is read anew, because their images may say more by then. */
  readonly hasPods?: boolean
  readonly tags: Tags
}

/** What one look at the repository leaves for the next. Losing it costs only time. */
export type Commits = {
  /** The commit of the last look-up of the ref, and its time on the steady clock. */
  lookedUp(): { readonly commit: string; readonly atMs: number } | undefined
  setLookedUp(commit: string, atMs: number): void
  /** The commit in force. */
  inForce(): ReadCommit | undefined
  /** Lets a commit be in force from now on. The state of the one before it is kept as an earlier one. */
  setInForce(read: ReadCommit): void
  /**
   * Returns what a commit itself wanted, if that is the one in force, or an earlier one that is kept. One that lacks what
   * may be there by now, such as a secret, is kept for a while only.
   */
  earlier(commit: string, steadyMs: number): DesiredState | undefined
  /**
   * Keeps an earlier state, read at a time on the steady clock, and forgets the one that nobody asked for the longest.
   */
  keepEarlier(commit: string, state: DesiredState, steadyMs: number): void
  /** Reads an earlier state, once for all sites that ask for it meanwhile. */
  readOnce(commit: string, read: () => Promise<DesiredState>): Promise<DesiredState>
  /** Notes on the steady clock why an earlier commit cannot be read. Returns whether that was not known. */
  isNews(commit: string, reason: string, steadyMs: number): boolean
  /**
   * Returns why it could not be read a moment ago, so that the repository is not asked again at each event of a site.
   * Undefined if it may be asked.
   */
  leftAlone(commit: string, steadyMs: number): string | undefined
}

/**
 * The most earlier states that are kept. Services that cannot get what is wanted seldom come from more than one or two
 * commits.
 */
const most = 8

/** How long an earlier commit that cannot be read is left alone. */
const aloneMs = 5_000

/** How long an earlier state is kept that lacks what may be there by now. */
const lackingMs = 30_000

/** Creates the memory of an environment of which no commit was read yet. */
export function createCommits(): Commits {
  let lookedUp: ReturnType<Commits['lookedUp']>
  let inForce: ReadCommit | undefined
  const states = new Map<string, { readonly state: DesiredState; readonly readMs: number }>()
  const reading = new Map<string, Promise<DesiredState>>()
  const unreadable = new Map<string, { readonly reason: string; readonly atMs: number }>()
  const keepEarlier = (commit: string, state: DesiredState, readMs: number) => {
    keep(states, commit, { state, readMs })
    unreadable.delete(commit)
  }
  return {
    lookedUp: () => lookedUp,
    setLookedUp(commit, atMs) {
      lookedUp = { commit, atMs }
    },
    inForce: () => inForce,
    setInForce(read) {
      if (inForce !== undefined && inForce.commit !== read.commit)
        keepEarlier(inForce.commit, inForce.pinned, inForce.tags.checkedMs)
      // Whatever had it read anew, such as a secret that is back, may be what an earlier one lacked.
      if (inForce?.resolved !== read.resolved)
        for (const [commit, { state }] of states) if (mayAnswer(state)) states.delete(commit)
      inForce = read
    },
    earlier(commit, steadyMs) {
      if (inForce?.commit === commit) return inForce.pinned
      const known = states.get(commit)
      if (known === undefined) return undefined
      if (steadyMs - known.readMs >= lackingMs && mayAnswer(known.state)) return undefined
      keepEarlier(commit, known.state, known.readMs)
      return known.state
    },
    keepEarlier,
    readOnce(commit, read) {
      const found = reading.get(commit) ?? read().finally(() => reading.delete(commit))
      reading.set(commit, found)
      return found
    },
    isNews(commit, reason, steadyMs) {
      const known = unreadable.get(commit)
      keep(unreadable, commit, { reason, atMs: steadyMs })
      return known?.reason !== reason
    },
    leftAlone(commit, steadyMs) {
      const known = unreadable.get(commit)
      return known !== undefined && steadyMs - known.atMs < aloneMs ? known.reason : undefined
    },
  }
}

/** Puts an entry last, and drops the first ones of too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  for (const oldest of [...map.keys()].slice(0, Math.max(0, map.size - most + 1))) map.delete(oldest)
  map.set(key, value)
}
