import type { Blocked, DesiredState } from '../state/application/desired.ts'
import type { LiveState } from '../state/running/live.ts'
import { type Change, keyOf, type Plan } from './change/change.ts'
import { type ChangeInput, changeFor, keepChange } from './change/change-for.ts'
import { leftOverVolumes } from './change/clean-up/left-over-volumes.ts'
import { unneededFiles } from './change/clean-up/unneeded-files.ts'
import { type Images, unneededImages } from './change/clean-up/unneeded-images.ts'
import { unusedNetworks } from './change/clean-up/unused-networks.ts'
import type { Keep } from './change/keep-before.ts'
import { keepingFailed } from './change/keep-failed.ts'
import { behindRunningDeploys } from './change-order/behind-deploys.ts'
import { inDueOrder } from './change-order/due-order.ts'
import { handOver } from './change-order/handover.ts'
import { untilEnded } from './change-order/until-ended.ts'
import type { DiffResult, Undecided } from './compare/diff.ts'
import { fewProblems, fewWarnings } from './few-problems.ts'
import { withDependents } from './hold/dependents.ts'
import type { Held } from './hold/held.ts'
import { holds } from './hold/hold.ts'
import { withRequiring } from './hold/suspended.ts'
import { planId } from './id.ts'
import type { LastFailure } from './warning/failed-before.ts'
import { warningsOf } from './warning/warnings.ts'

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
  // A rollout removes those of its own.
  const files = differences.length + keeps.size > 0 ? [] : unneededFiles(live.site, input.resources)
  const volumes = leftOverVolumes(live.site, input.resources)
  const ordered = inDueOrder(changes, { desired, differences, handovers, loaded: input.loaded ?? [] })
  const services = untilEnded([...ordered, ...networks, ...volumes, ...files])
  const all = services.length + blocked.length > 0 ? services : imagesIn(input)
  const id = planId({ environment: desired.environment, changes: all })
  const stuck = input.rules.notConverging?.planId === id
  return {
    id,
    environment: desired.environment,
    revision: desired.revision,
    changes: stuck ? all.map(change => ({ ...change, held: change.held ?? notConverging })) : all,
    blocked: fewProblems(blocked),
    unseen: [],
    warnings: fewWarnings([
      ...desired.warnings,
      ...warningsOf(all, { ...input, differences, handovers, site: live.site }),
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
