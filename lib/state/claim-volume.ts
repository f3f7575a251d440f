import type { Labels } from './labels.ts'

/** A volume that says which Tallyman writes to an environment on the engine, or that another one asks whether it does. */
export type ClaimVolume = {
  readonly name: string
  readonly labels: Labels
  /** The engine's own time of day. */
  readonly createdAt?: string
}

/** Such volumes on one engine. Every call fails with a `Failure`. */
export type ClaimVolumes = {
  /** Returns those that have this value of the label `tallyman.claim`. */
  list(claim: string, signal: AbortSignal): Promise<readonly ClaimVolume[]>
  /**
   * Creates a volume unless one of that name exists, and returns the one that exists then, whoever created it. If
   * several create it at the same time, all of them get the same one back.
   */
  create(name: string, labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ClaimVolume>
  /** Removes a volume; one that is not there is removed already. Fails if a container uses it. */
  remove(name: string, signal: AbortSignal): Promise<void>
}
