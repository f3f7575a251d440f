import { type Failure, toFailure } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { LiveState } from '../../state/running/live.ts'
import type { SiteWorld } from './site.ts'

/** What a site runs, or why it does not say. */
export type SeenSite =
  | {
      readonly site: string
      readonly live: LiveState
      /** When it was asked. */
      readonly atMs: number
    }
  | { readonly site: string; readonly failure: Failure }

/** Looks at a site. What it answers counts only as a whole: no answer is not an empty site (G4, G17). */
export async function observeSite(
  { engine, world }: SiteWorld,
  desired: DesiredState,
  signal: AbortSignal,
): Promise<SeenSite> {
  const { site } = engine
  const atMs = world.nowMs()
  try {
    return { site, atMs, live: await engine.observe(desired, signal) }
  } catch (error) {
    return { site, failure: toFailure(error) }
  }
}
