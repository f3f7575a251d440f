/**
 * `progressing`: sites are getting the version. `proving`: those that have it are watched. `waiting`: for a person, for
 * another application that has to change first, for sites that are not ready, or for a version that there is not yet.
 * `aborted`: it failed on a site, or a person ended it. `refused`: it cannot be carried out on the sites that there are.
 * `blocked`: it or its application is wrong.
 */
export type DeploymentState =
  | 'progressing'
  | 'proving'
  | 'waiting'
  | 'paused'
  | 'aborted'
  | 'refused'
  | 'blocked'
  | 'done'

/** Where a deployment stands, in words. Times are in ISO 8601. */
export type DeploymentStand = {
  readonly state: DeploymentState
  /** `aborted` because it failed on this site; absent: it did not fail. */
  readonly failedOn?: string
  /** What it waits for, in words (G13). */
  readonly reason: string
  readonly since?: string
  /** What to do, if it is not carried out as it is written. */
  readonly hint?: string
  /** When it goes on by itself, or fails if what it waits for does not come. */
  readonly until?: string
  /** What `tallyman approve` takes to let the other sites follow the canaries. */
  readonly approve?: string
  /** It has ended, and somebody paused it besides, so that no other version begins; absent: not so. */
  readonly isPaused?: true
}

/** How many sites have the version, are getting it, and are still without it. */
export type SiteCounts = {
  readonly done: number
  readonly now: number
  readonly toCome: number
  /** How many have it, and did not answer before they had proved it, so that they do not count as done; absent: none. */
  readonly silent?: number
  /** How many of those that were done failed with it afterwards, and keep it; absent: none. */
  readonly failed?: number
  /** How many somebody has left out of the version, so that nobody waits for them; absent: none. */
  readonly leftOut?: number
}
