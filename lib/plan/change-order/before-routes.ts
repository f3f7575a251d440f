import type { Application } from '../../state/application/application.ts'
import { claimOf, ingressName, type Route } from '../../state/application/ingress/route.ts'
import { backendOf, routesOf } from '../../state/application/ingress/traffic.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import { headOf } from '../compare/instance/instance.ts'
import type { Handovers } from './handover.ts'

/** What decides about the order besides the differences. */
type Around = {
  readonly applications: readonly Application[]
  readonly handovers: Handovers
  /** The routes that the ingress loaded last. */
  readonly loaded: readonly Route[]
}

/**
 * The ingress loads its routes once the services have been admitted that receive their first requests by them, or could
 * not be: before, requests would be sent to where nobody takes them (P12). It waits for a service that takes over a
 * route of another one, and for one that runs and only has to be admitted. Other new routes were answered by nobody
 * before, so they are not worth the wait for a whole rollout. It waits for no service that itself comes after it.
 */
export function beforeRoutes(
  changes: readonly Change[],
  differences: readonly Difference[],
  around: Around,
): readonly Change[] {
  const due = new Set(changes.filter(({ held }) => held === undefined).map(keyOf))
  const loaded = new Map(around.loaded.map(route => [claimOf(route), route]))
  const first = differences.filter(
    difference =>
      due.has(keyOf(difference)) &&
      isNew(difference) &&
      (isOnlyToBeAdmitted(difference) || takesOver(difference, loaded)),
  )
  if (first.length === 0) return changes
  return changes.map(change => {
    if (change.application !== ingressName || change.service !== ingressName) return change
    const later = allAfter(keyOf(change), changes, around)
    const waits = first.map(keyOf).filter(key => !later.has(key))
    return { ...change, after: [...change.after, ...waits.map(key => ({ key, must: 'end' as const }))] }
  })
}

/** Whether a service with routes has no instance yet that receives requests. */
function isNew({ application, declared, matched, surplus }: Difference): boolean {
  const gate = declared && backendOf(declared.service)?.gate
  if (application === ingressName || gate === undefined) return false
  return ![...matched.map(({ live }) => live), ...surplus].some(instance => {
    const head = headOf(instance)
    return head?.networks.includes(gate.network.name) === true && head.isDraining !== true
  })
}

function isOnlyToBeAdmitted({ missing, surplus, faults }: Difference): boolean {
  return missing.length + surplus.length === 0 && faults.every(({ what }) => what.is === 'shut-out')
}

function takesOver({ declared }: Difference, loaded: ReadonlyMap<string, Route>): boolean {
  return (declared === undefined ? [] : routesOf(declared.service)).some(route => {
    const before = loaded.get(claimOf(route))
    return before !== undefined && before.alias !== route.alias
  })
}

/** Returns the keys of the changes that come after one, directly or by others, and its own. Each is looked at once. */
function allAfter(
  key: string,
  changes: readonly Change[],
  { applications, handovers }: Around,
): ReadonlySet<string> {
  const pairs = [
    ...changes.flatMap(change => change.after.map(({ key: before }) => [before, keyOf(change)] as const)),
    ...[...handovers].flatMap(([taker, givers]) => givers.map(({ from }) => [from, taker] as const)),
  ]
  const behind = Map.groupBy(pairs, ([before]) => before)
  const needs = applications.flatMap(({ name, requires }) =>
    requires.map(({ application }) => [application, name] as const),
  )
  const needing = Map.groupBy(needs, ([needed]) => needed)
  const changesOf = Map.groupBy(changes, ({ application }) => application)
  const applicationOf = new Map(changes.map(change => [keyOf(change), change.application]))
  const [seen, required] = [new Set([key]), new Set<string>()]
  for (const one of seen) {
    for (const [, after] of behind.get(one) ?? []) seen.add(after)
    const application = applicationOf.get(one) ?? ''
    if (required.has(application)) continue
    required.add(application)
    for (const [, name] of needing.get(application) ?? [])
      for (const change of changesOf.get(name) ?? []) seen.add(keyOf(change))
  }
  return seen
}
