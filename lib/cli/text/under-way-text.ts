import type { BegunRollout } from '../../reconcile/status/under-way-now.ts'
import { firstAndMore } from '../../text/first-and-more.ts'

/** The most rollouts that one line names. */
const mostNamed = 3

/** Says beside a plan what has begun, of which the plan has only what is left; nothing if nothing has (G13). */
export function underWayText(all: readonly BegunRollout[], hasDaemon: boolean): readonly string[] {
  if (all.length === 0) return []
  const names = all.map(({ site, application, version, since }) => {
    const what = version === undefined ? application : `${application} ${version}`
    return `${what} on ${site}${since === undefined ? '' : ` (since ${since})`}`
  })
  const where = hasDaemon ? '; "tallyman status" shows how far it is' : ''
  return [
    `Begun and not over: ${firstAndMore(names, mostNamed)}. The plan is of what was there in the middle of it${where}.`,
  ]
}
