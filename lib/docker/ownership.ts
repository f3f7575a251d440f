import type { Skipped } from '../engine.ts'
import { type Identity, identityLabels } from '../state/identity.ts'
import { label } from '../state/labels.ts'

/**
 * Returns the engine's own filter for what may be the owner's. It also matches environments of the same name in other
 * repositories, and labels of the older form: `isOurs` decides.
 */
export function ownFilter({ environment }: Identity): { readonly label: readonly string[] } {
  return { label: [`${label.environment}=${environment}`] }
}

/**
 * How a step ends that removes, stops or gives back something of the owner's, if none of it has the name: it was never
 * made, it is gone, or it is another's (G10), or of another instance (D9), and left alone.
 */
export const noneOfOwner: Skipped = { skipped: "left out: nothing of this environment's own has this name" }

/** Returns the labels of the owner's networks and volumes, of an application or of the whole environment. */
export function ownLabels(owner: Identity, application?: string): Record<string, string> {
  return {
    ...identityLabels(owner),
    ...(application === undefined ? {} : { [label.application]: application }),
  }
}
