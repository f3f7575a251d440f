import { apply, type ChangeResult } from '../apply/apply.ts'
import { Failure, toFailure } from '../errors.ts'
import { keyOf } from '../plan/change.ts'
import type { Provenance } from '../plan/step.ts'
import type { DesiredState } from '../state/desired.ts'
import { elapsedMs } from './elapsed.ts'
import type { PassRequest } from './pass-request.ts'
import type { Found } from './pass-result.ts'
import type { PassRecord } from './record.ts'
import type { World } from './world.ts'

/** Eight calls side by side nearly reach what an engine on two cores can do, sixteen do (docs/performance.md). */
const callsPerSite = 16

/**
 * Does what may be done of a plan, each step on record. What cannot be put on record when it begins keeps it from
 * beginning; from then on nothing that is told of it can stop it, and what fails there is thrown when all is done (G25).
 */
export async function carryOut(
  world: World,
  { onEvent }: PassRequest,
  { desired, decision: { plan }, verdict: { go } }: Found,
  record: PassRecord,
  signal: AbortSignal,
): Promise<readonly ChangeResult[]> {
  if (go.length === 0) return []
  const { engines, journal, nowMs, steadyMs } = world
  record.begun(go)
  const attempts = journal.attempts(desired.environment)
  const bySite = new Map(engines.map(engine => [engine.site, engine]))
  const troubles: Failure[] = []
  const tell = (listener: () => void) => {
    try {
      listener()
    } catch (error) {
      troubles.push(toFailure(error))
    }
  }
  const results = await apply(go, {
    engine: site => {
      const engine = bySite.get(site)
      if (engine === undefined) throw new Failure('internal', `no engine for site ${site}`)
      return engine
    },
    provenance: provenanceOf(desired),
    onEvent: event => {
      tell(() => record.event(event))
      tell(() => onEvent?.(event, plan))
    },
    onFailure: (...failed) => tell(() => record.failed(...failed)),
    onUndone: change => tell(() => record.undone(change)),
    onApplied: (...applied) => tell(() => record.applied(...applied)),
    elapsedMs: change => elapsedMs(world, attempts.get(keyOf(change)), change),
    signal,
    nowMs,
    steadyMs,
    concurrency: callsPerSite,
  })
  const [trouble] = troubles
  if (trouble !== undefined) throw trouble
  return results
}

function provenanceOf({ environment, source, address, directory, revision }: DesiredState): Provenance {
  return { environment, source, address, directory, commit: revision.commit }
}
