import type { Application } from '../state/application.ts'
import { type After, type Change, keyOf } from './change.ts'

/**
 * Dependencies first, then by name, removals last (G11). The applications' requirements have no cycles: resolve
 * refuses those by name.
 */
export function order(changes: readonly Change[], applications: readonly Application[]): readonly Change[] {
  const rank = ranks(applications)
  const rankOf = (change: Change) =>
    change.cause === 'orphaned' ? Number.MAX_SAFE_INTEGER : (rank.get(change.application) ?? 0)
  const requires = new Map(
    applications.map(({ name, requires }) => [name, requires.map(({ application }) => application)]),
  )
  const ordered = [...changes].sort((a, b) => rankOf(a) - rankOf(b) || compareText(keyOf(a), keyOf(b)))
  return ordered.map(change => ({ ...change, after: [...change.after, ...edges(change, ordered, requires)] }))
}

function edges(
  change: Change,
  all: readonly Change[],
  requires: ReadonlyMap<string, readonly string[]>,
): readonly After[] {
  const here = all.filter(other => other.site === change.site && other.held === undefined)
  if (change.cause === 'orphaned') {
    return here.filter(({ cause }) => cause !== 'orphaned').map(other => ({ key: keyOf(other), must: 'end' }))
  }
  const needed = requires.get(change.application) ?? []
  return here
    .filter(({ application, cause }) => cause !== 'orphaned' && needed.includes(application))
    .map(other => ({ key: keyOf(other), must: 'succeed' }))
}

/** How many applications must come before each one, along the longest chain. */
function ranks(applications: readonly Application[]): ReadonlyMap<string, number> {
  const byName = new Map(applications.map(application => [application.name, application]))
  const known = new Map<string, number>()
  const rankOf = (name: string): number => {
    const seen = known.get(name)
    if (seen !== undefined) return seen
    known.set(name, 0)
    const below = byName.get(name)?.requires.map(({ application }) => rankOf(application) + 1) ?? []
    const rank = Math.max(0, ...below)
    known.set(name, rank)
    return rank
  }
  for (const { name } of applications) rankOf(name)
  return known
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
