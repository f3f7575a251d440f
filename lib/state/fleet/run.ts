/** One version of an application on its way to the sites of its deployment (A30 to A36). */
export type DeploymentRun = {
  readonly id: number
  readonly environment: string
  /** The name of the deployment. */
  readonly deployment: string
  readonly application: string
  readonly version: string
  /**
   * A hash of what the version consists of. Another content begins a new run, as long as not all sites have the version;
   * then it takes the place of that before.
   */
  readonly content: string
  /** What its batches are drawn with. */
  readonly seed: number
  readonly atMs: number
}

/** The id of a run that is not on record: this process does not bring it on, or only looks at what would happen. */
export const unrecorded = 0

/** What happened in a run. Nothing else is kept of it: what may be done now follows from these facts and the time. */
export type RunFact =
  | VersionHad
  | BatchDrawn
  | SiteReached
  | SiteStopped
  | SiteSilent
  | SiteHindered
  | SiteFailed
  | WordGiven

/** A site has another name since, and is the same one, because its endpoint is (A25). */
export type SiteRenamed = {
  readonly kind: 'renamed'
  readonly atMs: number
  readonly site: string
  readonly to: string
}

/**
 * The deployment means these sites again, which it did not mean before: they may have lost the application since, and
 * begin anew, as sites do that it means for the first time (A25).
 */
export type SitesJoined = {
  readonly kind: 'joined'
  readonly atMs: number
  readonly sites: readonly string[]
}

/** What is on record of a run: what happened, with sites under the names that they had then. */
export type RecordedFact = RunFact | SiteRenamed | SitesJoined

/** The newest run of a version, and the failures and words in it since somebody last let it go on. */
export type JudgedRun = {
  readonly of: Pick<DeploymentRun, 'id' | 'version'>
  readonly facts: readonly RunFact[]
}

/**
 * These sites had the version when the run began, with another content than it has now. That content goes to them at
 * once, because their version stays (A11).
 */
export type VersionHad = {
  readonly kind: 'had'
  readonly atMs: number
  readonly recordedMs?: Recorded
  readonly sites: readonly string[]
  readonly left?: Left
}

/** These sites were told to go on to the version, all at the same time. */
export type BatchDrawn = {
  readonly kind: 'batch'
  readonly atMs: number
  readonly recordedMs?: Recorded
  readonly sites: readonly string[]
  /** They try the version before all others do (A31). */
  readonly isCanary?: true
  readonly left?: Left
}

/** Sites to which a fact gave the version, too, and which have joined anew since; absent: none. Follows from other facts. */
type Left = readonly string[]

/**
 * The time that is on record, to be compared with that of other records, if the clock was set since. Absent: `atMs`.
 * Nobody records it.
 */
type Recorded = number

/** A pass found the version on a site, complete and healthy, for the first time or again. */
export type SiteReached = {
  readonly kind: 'reached'
  readonly atMs: number
  readonly site: string
  /** It had been found before, and a container of it was started since. */
  readonly isRestarted?: true
  /** The engine started it, because it had ended by itself. */
  readonly isEnd?: true
  /** The site has a version of its own, which says nothing about that of the run (A72). */
  readonly isOwn?: true
}

/**
 * A pass found that something of the version does not run on a site that had reached it: somebody stopped or removed it,
 * the engine went down, or, with `isEnd`, it ended by itself. That is no failure yet: it is started again (D9).
 */
export type SiteStopped = {
  readonly kind: 'stopped'
  readonly atMs: number
  readonly site: string
  readonly isEnd?: true
}

/**
 * A site of the last batch that has the version, or was getting it, did not answer before it had proved the version. So
 * nobody knows how the version does there. With `isGone`, nothing was wrong with it: it is no longer in the configuration,
 * or the deployment does not mean it any more.
 */
export type SiteSilent = {
  readonly kind: 'silent'
  readonly atMs: number
  readonly site: string
  readonly isGone?: true
}

/**
 * A pass could not bring the version to a site for a reason that may go away, and tries again until `untilMs` (A33).
 * Absent: nothing hinders it any more.
 */
export type SiteHindered = {
  readonly kind: 'hindered'
  readonly atMs: number
  readonly site: string
  readonly untilMs?: number
}

/** The version could not be put in place on a site, or stopped being healthy there (A33). */
export type SiteFailed = {
  readonly kind: 'failed'
  readonly atMs: number
  readonly site: string
  readonly reason: string
  /** Which version failed, if it is one on the way to that of the run (A65). */
  readonly step?: string
  /** A hash of what the site was to have, which another site may not (A72). Absent: that was not noted. */
  readonly content?: string
}

/**
 * What a person said. `continue`: others may follow the last batch, whatever it has proved. `resume` ends a pause, and an abort: the run
 * goes on where it stopped.
 */
export type WordGiven = {
  readonly kind: 'word'
  readonly atMs: number
  readonly word: RunWord
  readonly who: string
  readonly message?: string
}

export type RunWord = 'continue' | 'pause' | 'resume' | 'abort'
