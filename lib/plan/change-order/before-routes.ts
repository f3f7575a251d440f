import type { Application } from '../../state/application/application.ts'
import { claimOf, ingressName, type Route } from '../../state/application/ingress/route.ts'
import { backendOf, routesOf } from '../../state/application/ingress/traffic.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import { headOf } from '../compare/instance.ts'
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
    const own = keyOf(change)
    const waits = first.map(keyOf).filter(key => !comesAfter(key, own, changes, around))
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

/** Whether one change comes after another, directly or by others. */
function comesAfter(
  key: string,
  other: string,
  changes: readonly Change[],
  { applications, handovers }: Around,
): boolean {
  const byKey = new Map(changes.map(change => [keyOf(change), change]))
  const requires = new Map(applications.map(({ name, requires }) => [name, requires]))
  const seen = new Set([key])
  for (const one of seen) {
    const change = byKey.get(one)
    const needs = (requires.get(change?.application ?? '') ?? []).map(({ application }) => application)
    const required = changes.filter(({ application }) => needs.includes(application))
    const before = [
      ...(change?.after ?? []).map(({ key }) => key),
      ...(handovers.get(one) ?? []).map(({ from }) => from),
      ...required.map(keyOf),
    ]
    for (const each of before) seen.add(each)
  }
  return seen.has(other)
}
