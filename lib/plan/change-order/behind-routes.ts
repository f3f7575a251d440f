import { ingressName, isGate } from '../../state/application/ingress/route.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import { headOf } from '../compare/instance/instance.ts'
import type { Handovers } from './handover.ts'

/**
 * A service that has no route any more leaves its gate once the ingress has loaded the routes that are left, or could
 * not: before, requests would still be sent to where nobody takes them (P12). An ingress that itself waits for a
 * service, or goes away, waits for no routes of anybody.
 */
export function behindRoutes(
  changes: readonly Change[],
  differences: readonly Difference[],
  handovers: Handovers,
): readonly Change[] {
  const leaving = new Set(differences.filter(leavesGate).map(keyOf))
  const loading = new Set(
    changes
      .filter(({ application, service }) => application === ingressName && service === ingressName)
      .filter(change => change.held === undefined && change.cause !== 'orphaned')
      .map(keyOf)
      .filter(key => !handovers.has(key)),
  )
  return changes.map(change => {
    const key = keyOf({ site: change.site, application: ingressName, service: ingressName })
    if (!leaving.has(keyOf(change)) || !loading.has(key)) return change
    return { ...change, after: [...change.after, { key, must: 'end' }] }
  })
}

function leavesGate({ application, declared, matched, surplus }: Difference): boolean {
  if (application === ingressName || declared === undefined || declared.service.traffic !== undefined)
    return false
  const instances = [...matched.map(({ live }) => live), ...surplus]
  return instances.some(instance => headOf(instance)?.networks.some(isGate))
}
