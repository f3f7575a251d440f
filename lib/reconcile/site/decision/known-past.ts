import type { AppliedTarget } from '../../../journal/services/applied.ts'
import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import type { Past } from '../../../plan/compare/past.ts'
import { untouchedIn } from '../../../plan/compare/untouched.ts'
import type { LiveState } from '../../../state/running/live.ts'
import type { SiteWorld } from '../site.ts'

/** What is on record of the services of a site. */
export type KnownPast = Omit<Past, 'applied' | 'attempts'> & {
  readonly applied: ReadonlyMap<string, AppliedTarget>
  readonly attempts: ReadonlyMap<string, RecordedAttempt>
  /** The services whose attempt is on record as begun, and of which nothing was done. Here, it has ended. */
  readonly untouched: ReadonlySet<string>
}

/** Nothing is on record, or it does not count. */
export const noPast: KnownPast = {
  applied: new Map(),
  attempts: new Map(),
  deployed: new Map(),
  untouched: new Set(),
}

/** Returns what is on record. An attempt of which nothing was done has ended. */
export function pastOf(
  { world: { journal }, engine }: SiteWorld,
  environment: string,
  live: LiveState,
): KnownPast {
  const applied = journal.applied(environment, engine.site)
  const attempts = journal.attempts(environment, engine.site)
  const untouched = untouchedIn(live, { applied, attempts })
  return {
    applied,
    attempts: untouched.size === 0 ? attempts : asEnded(untouched, attempts),
    deployed: journal.deployed(environment, engine.site),
    untouched,
  }
}

function asEnded(untouched: ReadonlySet<string>, attempts: KnownPast['attempts']): KnownPast['attempts'] {
  return new Map(
    [...attempts].map(([key, attempt]) => [
      key,
      untouched.has(key) ? { ...attempt, phase: 'ended' } : attempt,
    ]),
  )
}
