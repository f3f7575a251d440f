import type { Spot } from '../spot.ts'

/** A place in a pod manifest, and where is noted what is wrong there. */
export type PodPlace = {
  /** The manifest is wrong. */
  readonly invalid: Spot
  /** The manifest is right, and cannot run as it is: an image leads nowhere, or a limit is none that engines take. */
  readonly unrunnable: Spot
  /** It runs, and not quite as it is written. */
  readonly changed: Spot
  at(...keys: readonly (string | number)[]): PodPlace
}

/** Returns the place that these spots have in common. */
export function podPlace(spots: Omit<PodPlace, 'at'>): PodPlace {
  return {
    ...spots,
    at: (...keys) =>
      podPlace({
        invalid: spots.invalid.at(...keys),
        unrunnable: spots.unrunnable.at(...keys),
        changed: spots.changed.at(...keys),
      }),
  }
}
