import type { AppliedTargets } from '../../journal/services/applied.ts'
import type { OpenAttempt } from '../../journal/services/attempts.ts'
import { optional } from '../../object.ts'
import { splitKey } from '../../plan/change/change.ts'
import type { UnderWay } from '../loop/under-way.ts'
import type { AppliedNow } from './application/found-by-pass.ts'
import { placeOf } from './application/under-way.ts'

/**
 * Returns the applications on sites that the passes which run have brought to what is wanted by now: everything that they
 * change of them is applied, nothing is open, and nothing goes back.
 */
export function appliedNow(
  environment: string,
  journal: Pick<AppliedTargets, 'applied'>,
  running: Pick<UnderWay, 'changes' | 'sinceMs' | 'back'> | undefined,
  begun: readonly OpenAttempt[],
): readonly AppliedNow[] {
  if (running === undefined) return []
  const { changes, sinceMs, back = [] } = running
  const open = new Set([...begun, ...back].map(placeOf))
  const places = Map.groupBy(changes, key => placeOf(splitKey(key)))
  return [...places].flatMap(([place, keys]) => {
    const [first] = keys
    if (open.has(place) || first === undefined) return []
    const { site, application } = splitKey(first)
    const targets = journal.applied(environment, site)
    const all = keys.map(key => targets.get(key))
    const [target] = all
    if (target === undefined || !all.every(one => one !== undefined && one.atMs >= sinceMs)) return []
    return [{ site, application, commit: target.commit, ...optional('version', target.version) }]
  })
}
