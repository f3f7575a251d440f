import type { Outcome } from '../../state/pass/outcome.ts'
import type { SyncStatus } from '../../state/running/health.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'

/** How a pass ended, with the error as it is written. */
type WrittenEnd = {
  readonly outcome: Outcome
  readonly sync: SyncStatus
  readonly error: string | undefined
}

/** What a pass that did nothing saw. It ended before it had a commit or a plan if these are absent. */
export type SeenByPass = {
  readonly environment: string
  /** Empty: it came to no site. */
  readonly site: string
  /** Absent: no later pass is on record. */
  readonly passId?: number
  readonly commit?: string | undefined
  readonly plan?: string | undefined
  readonly remarks?: string | undefined
}

/**
 * Returns what a pass on record saw; undefined if it did something, or is not on record. One that only prepared, and
 * failed before anything was touched, did nothing: it is tried again for as long as it takes (G1).
 */
export function seenByPass(database: Database, passId: number): SeenByPass | undefined {
  const pass = database.get('SELECT * FROM pass WHERE id = ?', passId)
  if (pass === undefined) return undefined
  const didSomething = `SELECT 1 FROM event WHERE pass_id = ? AND stage <> 'prepare'`
  if (database.get(didSomething, passId) !== undefined) return undefined
  return {
    environment: text(pass, 'environment'),
    site: text(pass, 'site'),
    passId,
    commit: optionalText(pass, 'commit_id'),
    plan: optionalText(pass, 'plan_id'),
    remarks: optionalText(pass, 'remarks'),
  }
}

/**
 * Returns the pass before this one over its site, or the one in between that came to no site, if this one has nothing
 * else to say.
 */
export function sameAsBefore(database: Database, seen: SeenByPass, end: WrittenEnd): number | undefined {
  if (!canRepeat(end.outcome)) return undefined
  const { environment, site, passId = Number.MAX_SAFE_INTEGER } = seen
  const before = (of: string) =>
    database.get(
      'SELECT * FROM pass WHERE environment = ? AND site = ? AND id < ? ORDER BY id DESC LIMIT 1',
      environment,
      of,
      passId,
    )
  const newest = () =>
    database.get(
      'SELECT * FROM pass WHERE environment = ? AND id < ? ORDER BY id DESC LIMIT 1',
      environment,
      passId,
    )
  const previous = site === '' ? newest() : laterOf(before(site), before(''))
  return previous !== undefined && saysTheSame(previous, seen, end) ? integer(previous, 'id') : undefined
}

/** Returns which of two passes is the later one. */
function laterOf(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return integer(one, 'id') > integer(other, 'id') ? one : other
}

/** Passes that decided or did something are always kept. Passes that only looked or prepared, or could not look, may be merged. */
function canRepeat(outcome: Outcome): boolean {
  switch (outcome) {
    case 'in-sync':
    case 'failed':
    case 'unreachable':
    case 'needs-confirmation':
    case 'planned':
    case 'declined':
      return true
    case 'applied':
    case 'rolled-back':
    case 'partially-applied':
    case 'superseded':
    case 'interrupted':
      return false
  }
}

/** After `applied`, the first `in-sync` of that commit is expected and says nothing new. */
function saysTheSame(previous: Row, { commit, plan, remarks }: SeenByPass, end: WrittenEnd): boolean {
  const before = optionalText(previous, 'outcome')
  const settled = before === 'applied' && end.outcome === 'in-sync'
  const isNotNew = (column: string, now: string | undefined) =>
    now === undefined || now === optionalText(previous, column)
  return (
    (settled || before === end.outcome) &&
    optionalText(previous, 'sync') === end.sync &&
    optionalText(previous, 'error') === end.error &&
    isNotNew('commit_id', commit) &&
    (settled || (isNotNew('plan_id', plan) && isNotNew('remarks', remarks)))
  )
}
