import { applyChanges, type ChangeResult } from '../../apply/apply.ts'
import { type Failure, toFailure } from '../../errors.ts'
import { keyOf } from '../../plan/change/change.ts'
import type { Provenance } from '../../plan/step/step.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { elapsedMs } from './elapsed.ts'
import type { PassRequest } from './pass-request.ts'
import type { Found } from './pass-result.ts'
import type { PassRecorder } from './record.ts'
import type { SiteWorld } from './site.ts'

/**
 * Carries out what has begun of a plan, and records each step. No failure to record anything stops it; such a failure
 * is thrown when everything is done (G25).
 */
export async function carryOut(
  site: SiteWorld,
  { onEvent }: PassRequest,
  { desired, decision: { plan }, verdict: { go } }: Found,
  record: PassRecorder,
  signal: AbortSignal,
): Promise<readonly ChangeResult[]> {
  if (go.length === 0) return []
  const { world, engine } = site
  const { journal, queue, nowMs, steadyMs } = world
  const attempts = journal.attempts(desired.environment, engine.site)
  const troubles: Failure[] = []
  const tell = (listener: () => void) => {
    try {
      listener()
    } catch (error) {
      troubles.push(toFailure(error))
    }
  }
  const results = await applyChanges(go, {
    engine: () => engine,
    provenance: provenanceOf(desired),
    onEvent: event => {
      tell(() => record.event(event))
      tell(() => onEvent?.(event, plan))
    },
    onFailure: (...failed) => tell(() => record.failed(...failed)),
    onUndone: change => tell(() => record.undone(change)),
    onApplied: (...applied) => tell(() => record.applied(...applied)),
    elapsedMs: change => elapsedMs(site, attempts.get(keyOf(change)), change),
    signal,
    nowMs,
    steadyMs,
    inTurn: (site, fetches, work) => (fetches ? queue.pull : queue.call)(site, work),
  })
  const [trouble] = troubles
  if (trouble !== undefined) throw trouble
  return results
}

function provenanceOf({ environment, source, address, directory, revision }: DesiredState): Provenance {
  return { environment, source, address, directory, commit: revision.commit }
}
