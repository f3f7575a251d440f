import type { Problem } from '../../errors.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { type Change, isAsked, keyOf } from '../change/change.ts'
import { type Handovers, removalsFirst } from '../change-order/handover.ts'
import type { Difference } from '../compare/diff.ts'
import { goneWarnings } from '../compare/specification-gone.ts'
import type { Rules } from '../hold/hold.ts'
import { sameVersionWarnings } from '../hold/same-version.ts'
import type { SiteResources } from '../resources.ts'
import { addressWarnings } from './address-space.ts'
import { failedBefore, type LastFailure } from './failed-before.ts'
import { nodeWarnings } from './nodes-lacking.ts'
import { requiresElsewhere } from './requires-elsewhere.ts'
import { swarmMadeAnew } from './swarm-made-anew.ts'
import { unusedSwarm } from './unused-swarm.ts'
import { volumesDiffer } from './volumes-differ.ts'
import { volumesGone } from './volumes-gone.ts'

/** What there is to be said about the changes of a site besides themselves. */
type Around = {
  readonly site: string
  readonly desired: DesiredState
  readonly differences: readonly Difference[]
  readonly handovers: Handovers
  readonly resources: SiteResources
  readonly rules: Rules
  readonly lastFailure?: LastFailure
  readonly isSwarmMadeAnew?: boolean
}

/** Returns what a person should know before the changes of a site are made, each thing once. */
export function warningsOf(
  changes: readonly Change[],
  { site, desired, differences, handovers, resources, rules, lastFailure, isSwarmMadeAnew }: Around,
): readonly Problem[] {
  const all = [
    ...changes.flatMap(heldWarnings),
    ...sameVersionWarnings(changes, differences, rules),
    ...(lastFailure === undefined ? [] : failedBefore(changes, differences, desired, lastFailure)),
    ...addressWarnings(changes, desired),
    ...keptVolumes(changes, resources),
    ...nodeWarnings(differences, desired, resources),
    ...volumesDiffer(site, desired, resources),
    ...volumesGone(changes, resources),
    ...requiresElsewhere(site, desired, changes),
    ...(isSwarmMadeAnew === true ? [swarmMadeAnew(site)] : []),
    ...(resources.managesSwarm === true ? [unusedSwarm(site)] : []),
    ...goneWarnings(changes),
    ...(rules.prune === 'confirm' ? removalsFirst(differences, handovers) : []),
  ]
  return [...new Map(all.map(problem => [problem.message, problem])).values()]
}

function heldWarnings(change: Change): readonly Problem[] {
  return isAsked(change) || change.held === undefined
    ? []
    : [{ code: change.held.code, message: `${keyOf(change)}: ${change.held.reason}` }]
}

function keptVolumes(changes: readonly Change[], { volumesKept }: SiteResources): readonly Problem[] {
  if (volumesKept === undefined || changes.length === 0) return []
  const message = `${volumesKept}: nothing is changed there, and each volume is shown as one to be created`
  return [{ code: 'claim-refused', message }]
}
