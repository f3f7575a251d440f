import { isWithin } from '../../text/in-directory.ts'
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
  /** Whether what stands there was left out because it is wrong. Then nobody knows that it is missing. */
  isLeftOut(...keys: readonly (string | number)[]): boolean
}

/** The places, and the pointers of what was left out of the manifest. */
type Spots = Omit<PodPlace, 'at' | 'isLeftOut'> & { readonly without: readonly string[] }

/** Returns the place that these spots have in common. */
export function podPlace({ without, ...spots }: Spots): PodPlace {
  return {
    ...spots,
    isLeftOut: (...keys) => {
      const { pointer } = spots.invalid.at(...keys)
      return without.some(one => isWithin(pointer, one))
    },
    at: (...keys) =>
      podPlace({
        without,
        invalid: spots.invalid.at(...keys),
        unrunnable: spots.unrunnable.at(...keys),
        changed: spots.changed.at(...keys),
      }),
  }
}
