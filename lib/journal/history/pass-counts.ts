import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/** Over what passes are made: a site of an environment, or none of it, which has the empty name. */
export type PassPlace = { readonly environment: string; readonly site: string }

/** Counts a pass that is on record from now on. To count them all anew would take longer the more there are (G24). */
export function countPass(database: Database, { environment, site }: PassPlace): void {
  database.run(
    'INSERT INTO pass_count VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET passes = passes + 1',
    environment,
    site,
  )
  database.run('INSERT INTO pass_total VALUES (1, 1) ON CONFLICT DO UPDATE SET passes = passes + 1')
}

/** Counts a pass no more, which was removed. */
export function discountPass(database: Database, { environment, site }: PassPlace): void {
  const row = database.get(
    'UPDATE pass_count SET passes = passes - 1 WHERE environment = ? AND site = ? RETURNING passes',
    environment,
    site,
  )
  if (row !== undefined && integer(row, 'passes') === 0)
    database.run('DELETE FROM pass_count WHERE environment = ? AND site = ?', environment, site)
  database.run('UPDATE pass_total SET passes = passes - 1 WHERE id = 1')
}

/** Returns how many passes are on record. */
export function passesOnRecord(database: Database): number {
  const row = database.get('SELECT passes FROM pass_total WHERE id = 1')
  return row === undefined ? 0 : integer(row, 'passes')
}

/** Returns over what most passes are on record; undefined: over nothing more than one. */
export function mostPasses(database: Database): PassPlace | undefined {
  const row = database.get(
    'SELECT environment, site FROM pass_count WHERE passes > 1 ORDER BY passes DESC LIMIT 1',
  )
  return row && passPlaceOf(row)
}

/** Reads over what a pass was made. */
export function passPlaceOf(row: Row): PassPlace {
  return { environment: text(row, 'environment'), site: text(row, 'site') }
}
