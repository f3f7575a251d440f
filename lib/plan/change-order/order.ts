import { onceFor } from '../../memo/once-for.ts'
import { largestOf } from '../../numbers.ts'
import type { Application } from '../../state/application/application.ts'
import { compareText } from '../../text/order.ts'
import { type After, type Change, keyOf } from '../change/change.ts'
import type { Handovers } from './handover.ts'
import { needsFirst } from './needs-first.ts'

/**
 * Orders the changes of a site: dependencies first, then by name, removals last (G11). But a change that gives
 * something up comes before the one that takes it over, also if it is a removal. Deploys of one application run one
 * after the other, because they work on the same files (P5). Requirements have no cycles, because `resolve` refuses
 * those; nor have they any together with `handovers`.
 */
export function order(
  changes: readonly Change[],
  applications: readonly Application[],
  handovers: Handovers = new Map(),
): readonly Change[] {
  const rank = ranks(applications)
  const givers = new Set([...handovers.values()].flat().map(({ from }) => from))
  const isLast = (change: Change) => change.cause === 'orphaned' && !givers.has(keyOf(change))
  const rankOf = (change: Change) =>
    isLast(change) ? Number.MAX_SAFE_INTEGER : (rank.get(change.application) ?? 0)
  const ranked = [...changes].sort((a, b) => rankOf(a) - rankOf(b) || compareText(keyOf(a), keyOf(b)))
  const earlier = earlierIn(ranked, applications)
  const linked = ranked.map(change => {
    const taken = (handovers.get(keyOf(change)) ?? []).map(
      ({ from: key, what: gives }): After => ({ key, must: 'succeed', gives }),
    )
    const rest = isLast(change)
      ? earlier.all
      : change.cause === 'orphaned'
        ? []
        : (earlier.required.get(change.application) ?? [])
    const isAlone = change.after.length + taken.length === 0
    return { ...change, after: isAlone ? rest : duplicateFree([...change.after, ...taken, ...rest]) }
  })
  return oneDeployAtATime(inTurn(linked))
}

/** What changes come after. One list serves all changes that come after the same ones (G24). */
type Earlier = {
  /** Everything that is no removal and comes after none, whether it succeeds or not. */
  readonly all: readonly After[]
  /** By application: what it requires. */
  readonly required: ReadonlyMap<string, readonly After[]>
}

function earlierIn(ranked: readonly Change[], applications: readonly Application[]): Earlier {
  const removed = new Set(ranked.filter(({ cause }) => cause === 'orphaned').map(keyOf))
  const due = ranked.filter(
    ({ cause, held, after }) =>
      cause !== 'orphaned' && held === undefined && !after.some(({ key }) => removed.has(key)),
  )
  const places = new Map(due.map((change, place) => [change, place]))
  const placeOf = (change: Change) => places.get(change) ?? 0
  const byApplication = Map.groupBy(due, ({ application }) => application)
  const requires = new Map(applications.map(({ name, requires }) => [name, requires]))
  const requiredBy = (application: string) =>
    (requires.get(application) ?? [])
      .flatMap(required => byApplication.get(required.application) ?? [])
      .sort((a, b) => placeOf(a) - placeOf(b))
  const names = new Set(ranked.map(({ application }) => application))
  return {
    all: due.map(other => after(other, 'end')),
    required: new Map(
      [...names].map(name => [name, duplicateFree(requiredBy(name).map(other => after(other, 'succeed')))]),
    ),
  }
}

function after(change: Change, must: After['must']): After {
  return { key: keyOf(change), must }
}

function duplicateFree(after: readonly After[]): readonly After[] {
  return [...new Map(after.toReversed().map(one => [one.key, one])).values()].toReversed()
}

/** Returns each change after those it depends on, and otherwise in the given order. */
function inTurn(changes: readonly Change[]): readonly Change[] {
  const byKey = new Map(changes.map(change => [keyOf(change), change]))
  return needsFirst(changes, ({ after }) => after.flatMap(({ key }) => byKey.get(key) ?? []))
}

/** Each deploy of an application begins once the one before it has ended. */
function oneDeployAtATime(ordered: readonly Change[]): readonly Change[] {
  const before = new Map<string, string>()
  return ordered.map(change => {
    if (change.deploys === undefined || change.held !== undefined) return change
    const key = before.get(change.application)
    before.set(change.application, keyOf(change))
    return key === undefined || change.after.some(after => after.key === key)
      ? change
      : { ...change, after: [...change.after, { key, must: 'end' }] }
  })
}

/** Returns the number of applications that have to come before each one, along the longest chain, the same on all sites. */
const ranks = onceFor((applications: readonly Application[]): ReadonlyMap<string, number> => {
  const requires = new Map(
    applications.map(({ name, requires }) => [name, requires.map(({ application }) => application)]),
  )
  const known = new Map<string, number>()
  for (const name of needsFirst([...requires.keys()], one => requires.get(one) ?? [])) {
    known.set(
      name,
      largestOf(requires.get(name) ?? [], one => (known.get(one) ?? 0) + 1),
    )
  }
  return known
})
