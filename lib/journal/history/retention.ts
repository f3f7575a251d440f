import type { Database } from '../store/database.ts'
import { integer, optionalInteger, optionalText } from '../store/row.ts'

/** How much history is kept: passes that were seen within `ageMs`, and at most `passes` of them. */
export type Retention = { readonly ageMs: number; readonly passes: number }

/** A year, and a hundred thousand passes. */
export const defaultRetention: Retention = { ageMs: 365 * 86_400_000, passes: 100_000 }

/** The time of day is believed if this many passes in a row over one site say it. */
const believed = 10

/** How many are removed at once: each new pass removes a few, so that none has to remove many. */
const batch = 50

/**
 * Removes a few of the passes and decisions that are too old or too many, oldest first, after a pass. The newest pass
 * of each environment stays whatever its age. Ages count from the oldest of the ten newest passes over the site of that
 * pass, once there are ten: if a clock was ahead for a while, a pass or two with its time over each of many sites
 * remove nothing.
 */
export function retire(database: Database, passId: number, retention: Retention): void {
  const row = database.get(
    `SELECT min(seen_at) AS at FROM
       (SELECT seen_at FROM pass WHERE (environment, site) = (SELECT environment, site FROM pass WHERE id = ?)
          ORDER BY id DESC LIMIT ${believed})
       HAVING count(*) = ${believed}`,
    passId,
  )
  const oldest = row === undefined ? 0 : (optionalInteger(row, 'at') ?? 0) - retention.ageMs
  // The numbers of passes ascend, with gaps at most. To count the passes would take longer the more there are.
  const newest = database.get('SELECT max(id) AS id FROM pass')
  const last = (newest === undefined ? 0 : (optionalInteger(newest, 'id') ?? 0)) - retention.passes
  // In the order of "+id", so that SQLite looks for what is too old by its index, and does not go through all passes.
  const rows = database.all(
    `SELECT id FROM pass AS pass WHERE (seen_at < ? OR id <= ?)
       AND EXISTS (SELECT 1 FROM pass AS later WHERE later.environment = pass.environment AND later.id > pass.id)
       ORDER BY +id LIMIT ${batch}`,
    oldest,
    last,
  )
  for (const row of rows) deletePass(database, integer(row, 'id'))
  database.run(
    `DELETE FROM approval WHERE id IN (SELECT id FROM approval WHERE expires_at < ? LIMIT ${batch})`,
    oldest,
  )
  database.run('DELETE FROM discard WHERE at < ?', oldest)
  database.run('DELETE FROM answer WHERE at < ?', oldest)
}

/** Removes a pass with its events, and its plan unless another pass made the same one. */
export function deletePass(database: Database, passId: number): void {
  const row = database.get('DELETE FROM pass WHERE id = ? RETURNING plan_id', passId)
  const planId = row && optionalText(row, 'plan_id')
  if (planId === undefined) return
  database.run(
    'DELETE FROM plan WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM pass WHERE plan_id = ?1)',
    planId,
  )
}
