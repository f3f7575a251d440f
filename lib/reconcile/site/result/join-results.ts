import { optional } from '../../../object.ts'
import type { Plan } from '../../../plan/change/change.ts'
import { joinedPlanId } from '../../../plan/id.ts'
import type { Blocked } from '../../../state/application/desired.ts'
import type { Outcome } from '../../../state/pass/outcome.ts'
import type { SyncStatus } from '../../../state/running/health.ts'
import { onceForSites } from '../../../text/sites/once-for-sites.ts'
import { greatest } from '../../extremes.ts'
import type { PassError } from '../../status/error.ts'
import type { PassResult } from './pass-result.ts'

/**
 * Puts the results of an environment's sites together, for people and scripts that ask about all of them. The result of
 * a single site stays as it is.
 */
export function joinResults(parts: readonly PassResult[]): PassResult {
  const [only, ...others] = parts
  if (only !== undefined && others.length === 0) return only
  const plans = parts.flatMap(({ plan }) => plan ?? [])
  const [plan] = plans
  const unreachable = parts.flatMap(part => part.unreachable ?? [])
  const desired = parts.find(part => part.desired !== undefined)?.desired
  return {
    ...optional('passId', passIdTogether(parts)),
    ...saidTogether(parts),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    ...(plan === undefined ? {} : { plan: { ...joinedPlan(plan, plans), blocked: joinedBlocked(parts) } }),
    ...(desired === undefined ? {} : { desired }),
    waiting: parts.flatMap(({ waiting }) => waiting),
    results: parts.flatMap(({ results }) => results),
    status: parts.flatMap(({ status }) => status),
    parts,
  }
}

/** Returns the newest pass of several: of those that reached their sites, if any did, because the others did nothing. */
export function passIdTogether(all: readonly Pick<PassResult, 'passId' | 'outcome'>[]): number | undefined {
  const reached = all.filter(({ outcome }) => outcome !== 'unreachable')
  return greatest((reached.length > 0 ? reached : all).map(({ passId }) => passId))
}

/** What is said of a site in a few words, and of several together. */
export type Said = {
  readonly outcome: Outcome
  readonly sync: SyncStatus
  readonly errors: readonly PassError[]
}

/** Returns what is said of several sites together. */
export function saidTogether(all: readonly Said[]): Said {
  return {
    outcome: commonOutcome(all.map(({ outcome }) => outcome)),
    sync: commonSync(all.map(({ sync }) => sync)),
    errors: writersOnce(unique(all.flatMap(({ errors }) => errors))),
  }
}

/** One process that writes to several sites instead of this one is told once, with all of them (D17). */
function writersOnce(errors: readonly PassError[]): readonly PassError[] {
  const writers = errors.filter(({ code }) => code === 'another-writer')
  if (writers.length < 2) return errors
  const siteOf = ({ message }: PassError) => message.slice(0, message.indexOf(': '))
  const told = onceForSites(writers.map(error => ({ error, site: siteOf(error), message: error.message })))
  return [
    ...told.map(({ error, message }) => ({ ...error, message })),
    ...errors.filter(({ code }) => code !== 'another-writer'),
  ]
}

/** Returns the results of the single sites. */
export function resultsBySite(result: PassResult): readonly PassResult[] {
  return result.parts ?? [result]
}

/** Returns the ids of the plans of the single sites. */
export function planIds(result: PassResult): ReadonlyMap<string, string> {
  return new Map(resultsBySite(result).map(({ site = '', plan }) => [site, plan?.id ?? '']))
}

function joinedPlan(first: Plan, plans: readonly Plan[]): Omit<Plan, 'blocked'> {
  const due = plans.filter(({ changes }) => changes.length > 0)
  return {
    id: due.length === 0 ? first.id : joinedPlanId(due.map(({ id }) => id)),
    environment: first.environment,
    revision: first.revision,
    changes: plans.flatMap(({ changes }) => changes),
    unseen: plans.flatMap(({ unseen }) => unseen),
    warnings: unique(plans.flatMap(({ warnings }) => warnings)),
  }
}

/** Tells what is blocked once, and on which sites if others are not concerned. */
function joinedBlocked(parts: readonly PassResult[]): readonly Blocked[] {
  const planned = parts.flatMap(({ site = '', plan }) => (plan === undefined ? [] : [{ site, plan }]))
  const all = planned.flatMap(({ site, plan }) => plan.blocked.map(one => ({ site, one })))
  return [...Map.groupBy(all, ({ one }) => JSON.stringify(one)).values()].flatMap(alike => {
    const sites = alike.map(({ site }) => site)
    return alike.slice(0, 1).map(({ one }) => (sites.length === planned.length ? one : { ...one, sites }))
  })
}

/** From the one that a person has to know first. */
const outcomes: readonly Outcome[] = [
  'interrupted',
  'failed',
  'rolled-back',
  'partially-applied',
  'needs-confirmation',
  'superseded',
  'declined',
  'applied',
  'planned',
  'in-sync',
]

/**
 * Returns in one word how the passes over several sites ended. Those that were not reached say nothing about the others
 * (A34).
 */
export function commonOutcome(everywhere: readonly Outcome[]): Outcome {
  const all: readonly Outcome[] = everywhere.filter(outcome => outcome !== 'unreachable')
  if (all.length === 0 && everywhere.length > 0) return 'unreachable'
  const worst = outcomes.find(outcome => all.includes(outcome)) ?? 'in-sync'
  const isTroubled = worst === 'failed' || worst === 'rolled-back'
  return isTroubled && all.some(isApplied) ? 'partially-applied' : worst
}

function isApplied(outcome: Outcome): boolean {
  return outcome === 'applied' || outcome === 'partially-applied'
}

/** Returns whether several sites are as wanted: what differs on one of them says more than what is unknown. */
function commonSync(all: readonly SyncStatus[]): SyncStatus {
  const order: readonly SyncStatus[] = ['OutOfSync', 'Unknown']
  return order.find(sync => all.includes(sync)) ?? 'Synced'
}

/** Returns equal values once, in their order. */
export function unique<T extends object>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map(one => [JSON.stringify(one), one])).values()]
}
