import type { AppliedTargets } from '../../journal/services/applied.ts'
import type { OpenAttempt } from '../../journal/services/attempts.ts'
import { optional } from '../../object.ts'
import { splitKey } from '../../plan/change/change.ts'
import type { UnderWay } from '../loop/under-way.ts'
import type { AppliedNow } from './application/found-by-pass.ts'
import { applicationKey } from './application/under-way.ts'

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
  const open = new Set([...begun, ...back].map(applicationKey))
  const sites = Map.groupBy(changes, key => splitKey(key).site)
  return [...sites].flatMap(([site, keys]) => {
    const targets = journal.applied(environment, site)
    return [...Map.groupBy(keys, key => splitKey(key).application)].flatMap(([application, own]) => {
      const all = own.map(key => targets.get(key))
      const [target] = all
      const isDone =
        !open.has(applicationKey({ site, application })) && all.every(one => one && one.atMs >= sinceMs)
      if (target === undefined || !isDone) return []
      return [{ site, application, commit: target.commit, ...optional('version', target.version) }]
    })
  })
}
