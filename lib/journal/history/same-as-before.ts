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

/**
 * Returns the pass before this one over its site, or the one in between that came to no site, if this one did nothing
 * and has nothing else to say.
 */
export function sameAsBefore(database: Database, passId: number, end: WrittenEnd): number | undefined {
  const pass = database.get('SELECT * FROM pass WHERE id = ?', passId)
  if (pass === undefined || !canRepeat(end.outcome)) return undefined
  if (database.get('SELECT 1 FROM event WHERE pass_id = ?', passId) !== undefined) return undefined
  const [environment, site] = [text(pass, 'environment'), text(pass, 'site')]
  const before = (of: string) =>
    database.get(
      'SELECT * FROM pass WHERE environment = ? AND site = ? AND id < ? ORDER BY id DESC LIMIT 1',
      environment,
      of,
      passId,
    )
  const newest = database.get(
    'SELECT * FROM pass WHERE environment = ? AND id < ? ORDER BY id DESC LIMIT 1',
    environment,
    passId,
  )
  const previous = site === '' ? newest : laterOf(before(site), before(''))
  return previous !== undefined && saysTheSame(previous, pass, end) ? integer(previous, 'id') : undefined
}

/** Returns which of two passes is the later one. */
function laterOf(one: Row | undefined, other: Row | undefined): Row | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return integer(one, 'id') > integer(other, 'id') ? one : other
}

/** Passes that decided or did something are always kept. Passes that only looked, or could not look, may be merged. */
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
function saysTheSame(previous: Row, pass: Row, end: WrittenEnd): boolean {
  const before = optionalText(previous, 'outcome')
  const settled = before === 'applied' && end.outcome === 'in-sync'
  return (
    (settled || before === end.outcome) &&
    optionalText(previous, 'sync') === end.sync &&
    optionalText(previous, 'error') === end.error &&
    notNew(previous, pass, 'commit_id') &&
    (settled || (notNew(previous, pass, 'plan_id') && notNew(previous, pass, 'remarks')))
  )
}

/** A pass that ended before it had a plan says nothing about one. */
function notNew(previous: Row, pass: Row, column: string): boolean {
  const now = optionalText(pass, column)
  return now === undefined || now === optionalText(previous, column)
}
