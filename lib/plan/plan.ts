import type { Problem } from '../errors.ts'
import type { Blocked, DesiredState } from '../state/application/desired.ts'
import type { LiveState } from '../state/running/live.ts'
import { type Change, isAsked, keyOf, type Plan } from './change/change.ts'
import { type ChangeInput, changeFor, keepChange } from './change/change-for.ts'
import { leftOverVolumes } from './change/clearance/left-over-volumes.ts'
import { unneededFiles } from './change/clearance/unneeded-files.ts'
import { type Images, unneededImages } from './change/clearance/unneeded-images.ts'
import { unusedNetworks } from './change/clearance/unused-networks.ts'
import type { Keep } from './change/keep-before.ts'
import { keepingFailed } from './change/keep-failed.ts'
import { beforeRoutes } from './change-order/before-routes.ts'
import { behindRunningDeploys } from './change-order/behind-deploys.ts'
import { behindLast } from './change-order/behind-last.ts'
import { behindMetadata } from './change-order/behind-metadata.ts'
import { behindRoutes } from './change-order/behind-routes.ts'
import { handOver, removalsFirst } from './change-order/handover.ts'
import { nodeByNode } from './change-order/node-by-node.ts'
import { order } from './change-order/order.ts'
import { untilEnded } from './change-order/until-ended.ts'
import type { DiffResult, Undecided } from './compare/diff.ts'
import { goneWarnings } from './compare/specification-gone.ts'
import { fewProblems, fewWarnings } from './few-problems.ts'
import { withDependents } from './hold/dependents.ts'
import type { Held } from './hold/held.ts'
import { holds } from './hold/hold.ts'
import { sameVersionWarnings } from './hold/same-version.ts'
import { withRequiring } from './hold/suspended.ts'
import { planId } from './id.ts'
import type { SiteResources } from './resources.ts'
import { addressWarnings } from './warning/address-space.ts'
import { failedBefore, type LastFailure } from './warning/failed-before.ts'
import { nodeWarnings } from './warning/nodes-lacking.ts'
import { requiresElsewhere } from './warning/requires-elsewhere.ts'
import { swarmMadeAnew } from './warning/swarm-made-anew.ts'
import { unusedSwarm } from './warning/unused-swarm.ts'
import { volumesDiffer } from './warning/volumes-differ.ts'
import { volumesGone } from './warning/volumes-gone.ts'

/** What a plan for one site is made from. */
export type PlanInput = ChangeInput & {
  readonly diff: DiffResult
  /** What the site runs, including blocked applications. */
  readonly live: LiveState
  /** What is due for services that cannot get what is wanted now. It replaces what they would have. */
  readonly keeps?: readonly Keep[]
  /** Present if old images are to be removed once nothing else is to be done. */
  readonly images?: Images
  /** It is another Swarm than the one on which something ran. */
  readonly isSwarmMadeAnew?: boolean
  /** Absent: nobody knows of any failure. */
  readonly lastFailure?: LastFailure
  /** How many failed containers of a kind stay for people to look at; none by default. */
  readonly keepFailed?: number
}

/**
 * Returns everything that is to happen on a site, as one value, which is printed, approved, run, tested and logged (G7,
 * G8). Pure.
 */
export function planFor(asked: PlanInput): Plan {
  const { desired, diff, live, specificationOf } = asked
  const suspended = withRequiring(desired, asked.rules.suspended)
  const input = { ...asked, rules: { ...asked.rules, suspended } }
  const { differences, undecided } = diff
  const unknown = [...new Map(undecided.map(entry => [entry.application, blockedBy(entry)])).values()]
  const { held, handovers } = handOver(
    { desired, differences, live, specificationOf },
    holds(desired, diff, input),
    more => withDependents(desired, diff, more),
  )
  // What cannot be kept either is shown as it is.
  const kept = (input.keeps ?? [])
    .map(keep => keepChange(keep, input))
    .filter(({ held }) => held === undefined)
  const keeps = new Set(kept.map(keyOf))
  const own = differences
    .filter(difference => !keeps.has(keyOf(difference)))
    .map(difference => changeFor(difference, held.get(difference), input))
  const changes = behindRunningDeploys([...own, ...kept], differences).map(change =>
    keepingFailed(change, input.keepFailed ?? 0),
  )
  const networks = keeps.size > 0 ? [] : unusedNetworks(diff, desired, input.resources, held)
  const blocked = [...desired.blocked, ...unknown]
  const { applications } = desired
  const last = behindLast(changes, desired, differences)
  const behind = behindMetadata(behindRoutes(last, differences, handovers), differences)
  const linked = beforeRoutes(behind, differences, {
    applications,
    handovers,
    loaded: input.loaded ?? [],
  })
  // A rollout removes those of its own.
  const files = differences.length + keeps.size > 0 ? [] : unneededFiles(live.site, input.resources)
  const volumes = leftOverVolumes(live.site, input.resources)
  const inOrder = nodeByNode(order(linked, applications, handovers))
  const services = untilEnded([...inOrder, ...networks, ...volumes, ...files])
  const ordered = services.length + blocked.length > 0 ? services : imagesIn(input)
  const id = planId({ environment: desired.environment, changes: ordered })
  const stuck = input.rules.notConverging?.planId === id
  return {
    id,
    environment: desired.environment,
    revision: desired.revision,
    changes: stuck ? ordered.map(change => ({ ...change, held: change.held ?? notConverging })) : ordered,
    blocked: fewProblems(blocked),
    unseen: [],
    warnings: fewWarnings([
      ...desired.warnings,
      ...duplicateFree([
        ...ordered.flatMap(warningsOf),
        ...sameVersionWarnings(ordered, differences, input.rules),
        ...(input.lastFailure === undefined
          ? []
          : failedBefore(ordered, differences, desired, input.lastFailure)),
        ...addressWarnings(ordered, desired),
        ...keptVolumes(ordered, input.resources),
        ...nodeWarnings(differences, desired, input.resources),
        ...volumesDiffer(live.site, desired, input.resources),
        ...volumesGone(ordered, input.resources),
        ...requiresElsewhere(live.site, desired, ordered),
        ...(input.isSwarmMadeAnew === true ? [swarmMadeAnew(live.site)] : []),
        ...(input.resources.managesSwarm === true ? [unusedSwarm(live.site)] : []),
        ...goneWarnings(ordered),
        ...(input.rules.prune === 'confirm' ? removalsFirst(differences, handovers) : []),
      ]),
    ]),
  }
}

/** Returns the plan for a site that does not answer: nothing happens there (G17). */
export function unseenPlan({ environment, revision, blocked, warnings }: DesiredState, site: string): Plan {
  return {
    id: planId({ environment, changes: [] }),
    environment,
    revision,
    changes: [],
    blocked: fewProblems(blocked),
    unseen: [site],
    warnings: fewWarnings(warnings),
  }
}

/** Old images wait until nothing is suspended. */
function imagesIn({ desired, live, rules, images }: PlanInput): readonly Change[] {
  return images !== undefined && rules.suspended.size === 0 ? unneededImages(desired, live, images) : []
}

/** An image that could not be resolved is neither a change nor a match, so the application waits (D5). */
function blockedBy({ application, reason }: Undecided): Blocked {
  return { application, problems: [{ code: 'digest-unknown', message: `${application}: ${reason}` }] }
}

const notConverging: Held = {
  code: 'not-converging',
  reason: 'this very plan was just applied, and is needed again',
}

function warningsOf(change: Change): readonly Problem[] {
  return isAsked(change) || change.held === undefined
    ? []
    : [{ code: change.held.code, message: `${keyOf(change)}: ${change.held.reason}` }]
}

function keptVolumes(changes: readonly Change[], { volumesKept }: SiteResources): readonly Problem[] {
  if (volumesKept === undefined || changes.length === 0) return []
  const message = `${volumesKept}: nothing is changed there, and each volume is shown as one to be created`
  return [{ code: 'claim-refused', message }]
}

function duplicateFree(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map(problem => [problem.message, problem])).values()]
}
