import type { Application } from '../state/application.ts'
import { type After, type Change, keyOf } from './change.ts'
import type { Handovers } from './handover.ts'

/**
 * Orders changes: dependencies first, then by name, removals last (G11). But a change that gives something up comes
 * before the one that takes it over, also if it is a removal. Deploys of one application run one after the other,
 * because they work on the same files (P5). Requirements have no cycles, because `resolve` refuses those; nor have they
 * any together with `handovers`.
 */
export function order(
  changes: readonly Change[],
  applications: readonly Application[],
  handovers: Handovers = new Map(),
): readonly Change[] {
  const rank = ranks(applications)
  const givers = new Set([...handovers.values()].flat())
  const isLast = (change: Change) => change.cause === 'orphaned' && !givers.has(keyOf(change))
  const rankOf = (change: Change) =>
    isLast(change) ? Number.MAX_SAFE_INTEGER : (rank.get(change.application) ?? 0)
  const requires = new Map(
    applications.map(({ name, requires }) => [name, requires.map(({ application }) => application)]),
  )
  const ranked = [...changes].sort((a, b) => rankOf(a) - rankOf(b) || compareText(keyOf(a), keyOf(b)))
  const linked = ranked.map(change => {
    const taken = (handovers.get(keyOf(change)) ?? []).map((key): After => ({ key, must: 'succeed' }))
    const rest = isLast(change)
      ? lastOf(change, ranked)
      : change.cause === 'orphaned'
        ? []
        : required(change, ranked, requires)
    return { ...change, after: duplicateFree([...change.after, ...taken, ...rest]) }
  })
  return oneDeployAtATime(inTurn(linked))
}

/** After everything that is no removal, whether it succeeds or not. */
function lastOf(change: Change, all: readonly Change[]): readonly After[] {
  return due(change.site, all)
    .filter(({ cause }) => cause !== 'orphaned')
    .map(other => ({ key: keyOf(other), must: 'end' }))
}

function required(
  change: Change,
  all: readonly Change[],
  requires: ReadonlyMap<string, readonly string[]>,
): readonly After[] {
  const needed = requires.get(change.application) ?? []
  return due(change.site, all)
    .filter(({ application, cause }) => cause !== 'orphaned' && needed.includes(application))
    .map(other => ({ key: keyOf(other), must: 'succeed' }))
}

function due(site: string, all: readonly Change[]): readonly Change[] {
  return all.filter(other => other.site === site && other.held === undefined)
}

function duplicateFree(after: readonly After[]): readonly After[] {
  return [...new Map(after.toReversed().map(one => [one.key, one])).values()].toReversed()
}

/** Returns each change after those it depends on, and otherwise in the given order. */
function inTurn(changes: readonly Change[]): readonly Change[] {
  const byKey = new Map(changes.map(change => [keyOf(change), change]))
  const placed = new Set<Change>()
  const place = (change: Change): void => {
    if (placed.has(change)) return
    for (const { key } of change.after) {
      const earlier = byKey.get(key)
      if (earlier !== undefined) place(earlier)
    }
    placed.add(change)
  }
  for (const change of changes) place(change)
  return [...placed]
}

/** Each deploy of an application on a site begins once the one before it has ended. */
function oneDeployAtATime(ordered: readonly Change[]): readonly Change[] {
  const before = new Map<string, string>()
  return ordered.map(change => {
    if (change.deploys === undefined || change.held !== undefined) return change
    const owner = `${change.site}/${change.application}`
    const key = before.get(owner)
    before.set(owner, keyOf(change))
    return key === undefined || change.after.some(after => after.key === key)
      ? change
      : { ...change, after: [...change.after, { key, must: 'end' }] }
  })
}

/** Returns the number of applications that have to come before each one, along the longest chain. */
function ranks(applications: readonly Application[]): ReadonlyMap<string, number> {
  const byName = new Map(applications.map(application => [application.name, application]))
  const known = new Map<string, number>()
  const rankOf = (name: string): number => {
    const seen = known.get(name)
    if (seen !== undefined) return seen
    known.set(name, 0)
    const requires = byName.get(name)?.requires ?? []
    const rank = requires.reduce((most, { application }) => Math.max(most, rankOf(application) + 1), 0)
    known.set(name, rank)
    return rank
  }
  for (const { name } of applications) rankOf(name)
  return known
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
