import { gistOf } from '../../../fleet/spread/facts/gist.ts'
import type { Stand } from '../../../fleet/spread/stand.ts'
import type { RunFact } from '../../../state/fleet/run.ts'
import type { HasBegun } from '../begun-on.ts'

/** What is known of sites that may have fallen silent. */
export type SilenceInput = {
  /** Whether a site did not answer when it was last asked. */
  readonly isSilent: (site: string) => boolean
  readonly hasBegun: HasBegun
  readonly nowMs: number
}

/**
 * Returns the sites of the last batch that do not answer now, and of which nobody knows how the version does there: they
 * have not proved it, or were getting it (A34). Pure.
 */
export function silencesIn(
  { isSilent, hasBegun, nowMs }: SilenceInput,
  version: string,
  members: ReadonlySet<string>,
  { batches, reached, lost, wait }: Stand,
): readonly string[] {
  const last = batches.at(-1)
  if (last === undefined) return []
  const isProved = wait.for === 'unready' || (wait.for === 'done' && nowMs >= (wait.untilMs ?? 0))
  return last.sites.filter(
    site =>
      members.has(site) &&
      isSilent(site) &&
      !lost.has(site) &&
      (reached.has(site) ? !isProved : hasBegun(site, version, last.recordedMs ?? last.atMs)),
  )
}

/**
 * Returns the sites that were taken out before they had proved the version, for which the run waits, and of which that is
 * not on record. Nobody watches them: if one comes back, it proves the version from the beginning. Pure.
 */
export function leavingIn(
  facts: readonly RunFact[],
  members: ReadonlySet<string>,
  { wait }: Stand,
): readonly string[] {
  if (wait.for !== 'return') return []
  const { lost } = gistOf(facts).evidence
  return wait.sites.filter(site => !members.has(site) && !lost.has(site))
}
