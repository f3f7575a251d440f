import { apply, type ChangeResult } from '../apply/apply.ts'
import { Failure } from '../errors.ts'
import type { PassRequest } from './pass-request.ts'
import type { Found } from './pass-result.ts'
import type { PassRecord } from './record.ts'
import type { World } from './world.ts'

/** Eight calls side by side nearly reach what an engine on two cores can do, sixteen do (docs/performance.md). */
const callsPerSite = 16

/** Does what may be done of a plan, each step on record. */
export async function carryOut(
  { engines, nowMs }: World,
  { onEvent }: PassRequest,
  { desired: { environment, source, revision }, decision: { plan }, verdict: { go } }: Found,
  record: PassRecord,
  signal: AbortSignal,
): Promise<readonly ChangeResult[]> {
  if (go.length === 0) return []
  record.begun(go)
  const bySite = new Map(engines.map(engine => [engine.site, engine]))
  return apply(go, {
    engine: site => {
      const engine = bySite.get(site)
      if (engine === undefined) throw new Failure('internal', `no engine for site ${site}`)
      return engine
    },
    provenance: { environment, source, commit: revision.commit },
    onEvent: event => {
      record.event(event)
      onEvent?.(event, plan)
    },
    onFailure: record.failed,
    onApplied: record.applied,
    signal,
    nowMs,
    concurrency: callsPerSite,
  })
}
