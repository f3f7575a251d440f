import type { DesiredState } from '../../state/application/desired.ts'
import { ownNameText } from '../../state/identity.ts'
import { observeSite, type SeenSite } from './observe.ts'
import type { SiteWorld } from './site.ts'

/** A look at a site that was begun before the pass that it is for, while something else was waited for. */
export type EarlyLook = {
  /** Of which environment, as a text. */
  readonly of: string
  readonly beganMs: number
  readonly seen: Promise<SeenSite>
}

/** What was seen longer ago is asked for again. */
const freshMs = 1_000

/** Begins to look at a site. */
export function lookEarly(site: SiteWorld, desired: DesiredState, signal: AbortSignal): EarlyLook {
  return {
    of: ownNameText(desired),
    beganMs: site.world.steadyMs(),
    seen: observeSite(site, desired, signal),
  }
}

/**
 * Looks at a site for a pass. Goes by a look that was begun a moment ago, if it is of the same environment and came to
 * something.
 */
export async function lookNow(
  site: SiteWorld,
  early: EarlyLook | undefined,
  desired: DesiredState,
  signal: AbortSignal,
): Promise<SeenSite> {
  const isFresh = early !== undefined && site.world.steadyMs() - early.beganMs <= freshMs
  const seen = isFresh && early.of === ownNameText(desired) ? await early.seen : undefined
  return seen !== undefined && 'live' in seen ? seen : observeSite(site, desired, signal)
}
