import type { DesiredState } from '../../state/application/desired.ts'
import { isLeft } from '../../state/application/nothing-here.ts'
import { isOwnApplication } from '../../state/application/own-application.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import type { Held } from '../hold/held.ts'

/** What is Tallyman's own on a site that all applications leave, and what it serves until that has gone. */
type Own = { readonly own: Difference; readonly served: readonly Difference[] }

/**
 * What is Tallyman's own goes with the last application that needed it on a site (A26): after that one, and not without
 * it, so that it is no question of its own. A Caddy of the operator stays, and forgets then what it had.
 */
export function behindLast(
  changes: readonly Change[],
  desired: DesiredState,
  differences: readonly Difference[],
): readonly Change[] {
  const byKey = new Map(ownAmong(desired, differences).map(one => [keyOf(one.own), one]))
  if (byKey.size === 0) return changes
  return changes.map(change => {
    const found = byKey.get(keyOf(change))
    if (found === undefined) return change
    const after = found.served.map(one => ({ key: keyOf(one), must: 'succeed' as const }))
    return {
      ...change,
      ...(found.own.kind === 'orphaned' ? { goesWithLast: true as const } : {}),
      after: [...change.after, ...after],
    }
  })
}

/** Returns what is held, and also what is Tallyman's own and serves an application whose removal is. */
export function withLast(
  desired: DesiredState,
  differences: readonly Difference[],
  held: ReadonlyMap<Difference, Held>,
): ReadonlyMap<Difference, Held> {
  const staying = ownAmong(desired, differences).flatMap(({ own, served }) => {
    const hold = served.map(one => held.get(one)).find(one => one !== undefined)
    return hold === undefined || held.has(own) ? [] : [[own, hold] as const]
  })
  return staying.length === 0 ? held : new Map([...held, ...staying])
}

/**
 * What was changed from outside is repaired all the same. An ingress that stays waits for no application that it goes on
 * serving, because the site joined later than its deployment was evaluated (A25).
 */
function ownAmong(desired: DesiredState, differences: readonly Difference[]): readonly Own[] {
  if (!isLeft(desired)) return []
  const others = differences.filter(({ application }) => !isOwnApplication(application))
  return differences
    .filter(({ application, kind }) => isOwnApplication(application) && kind !== 'drifted')
    .map(own => {
      const networks = new Set(networksOf(own))
      const stays = ({ application }: Difference) =>
        own.kind !== 'orphaned' && desired.joined?.has(application) === true
      const served = others.filter(one => !stays(one) && networksOf(one).some(name => networks.has(name)))
      return { own, served }
    })
}

function networksOf({ matched, surplus, leftOver }: Difference): readonly string[] {
  const instances = [...matched.map(({ live }) => live), ...surplus]
  return [...instances.flatMap(({ containers }) => containers), ...leftOver].flatMap(
    ({ networks }) => networks,
  )
}
