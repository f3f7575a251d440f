import { isJob, isKeptContainer } from '../../state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../state/running/live.ts'
import { keyOf, splitKey } from '../change/change.ts'
import { groupInstances, isRunning } from './instance/instance.ts'
import type { Past } from './past.ts'
import { eachOf, targetOf, withoutMarks } from './target/target.ts'

/**
 * Returns the services whose attempt is on record as begun, and of which a look at their site shows that nothing was
 * done: each service of the application that is on its way runs exactly what was applied last, and no job of it began.
 * The process ended between the word and the deed, or while images were pulled. Such an attempt has not begun: no window
 * lets it go on (A62).
 */
export function untouchedIn(live: LiveState, { applied, attempts = new Map() }: Past): ReadonlySet<string> {
  const open = [...attempts].filter(([, { phase }]) => phase === 'open')
  if (open.length === 0) return none
  const containers = Map.groupBy(live.containers, one => keyOf({ ...one, site: live.site }))
  const untouched = [...Map.groupBy(open, ([key]) => splitKey(key).application).values()].filter(own =>
    own.every(
      ([key, { noReturn, job }]) =>
        noReturn !== true &&
        job === undefined &&
        isAsApplied(containers.get(key) ?? [], applied.get(key)?.target ?? 'absent'),
    ),
  )
  return new Set(untouched.flat().map(([key]) => key))
}

const none: ReadonlySet<string> = new Set()

function isAsApplied(containers: readonly LiveContainer[], applied: string): boolean {
  if (containers.some(one => isJob(one) && !isKeptContainer(one))) return false
  const instances = groupInstances(containers)
  const there = instances.flatMap(one => eachOf(one.fingerprint, one.containers[0]))
  return instances.every(isRunning) && targetOf(there) === withoutMarks(applied)
}
