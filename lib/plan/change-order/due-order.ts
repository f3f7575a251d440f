import type { DesiredState } from '../../state/application/desired.ts'
import type { Route } from '../../state/application/ingress/route.ts'
import type { Change } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import { beforeRoutes } from './before-routes.ts'
import { behindLast } from './behind-last.ts'
import { behindMetadata } from './behind-metadata.ts'
import { behindRoutes } from './behind-routes.ts'
import type { Handovers } from './handover.ts'
import { nodeByNode } from './node-by-node.ts'
import { order } from './order.ts'

/** What decides what comes before what, besides the changes. */
type Around = {
  readonly desired: DesiredState
  readonly differences: readonly Difference[]
  readonly handovers: Handovers
  /** The routes that the ingress loaded last. */
  readonly loaded: readonly Route[]
}

/**
 * Has changes wait for what must be over before they begin, and returns them in an order in which they can be made. The
 * ingress waits last: what waits for it is known by then.
 */
export function inDueOrder(
  changes: readonly Change[],
  { desired, differences, handovers, loaded }: Around,
): readonly Change[] {
  const { applications } = desired
  const leaving = behindLast(changes, desired, differences)
  const routed = behindRoutes(leaving, differences, handovers)
  const known = behindMetadata(routed, differences)
  const reached = beforeRoutes(known, differences, { applications, handovers, loaded })
  return nodeByNode(order(reached, applications, handovers))
}
