import type { Database } from '../store/database.ts'
import { integer, optionalInteger, optionalText } from '../store/row.ts'
import { discountPass, mostPasses, type PassPlace, passesOnRecord, passPlaceOf } from './pass-counts.ts'

/** How much history is kept: passes that were seen within `ageMs`, and at most `passes` of them over all sites. */
export type Retention = { readonly ageMs: number; readonly passes: number }

/** A year, and a hundred thousand passes. */
export const defaultRetention: Retention = { ageMs: 365 * 86_400_000, passes: 100_000 }

/** The time of day is believed if this many passes in a row over one site say it. */
const believed = 10

/** How many are removed at once: each new pass removes a few, so that none has to remove many. */
const batch = 50

/**
 * Removes a few of the passes and decisions that are too old or too many, oldest first, after a pass over that site (G24).
 * The newest pass over each site stays in any case.
 * - Which passes are too old, the passes over their own site say. Ages count from the oldest of the ten newest of these,
 *   once there are ten: if a clock was ahead for a while, a pass or two with its time over each of many sites remove
 *   nothing.
 * - If there are too many, the site with the most of all loses its oldest. So what happens on one site takes nothing from
 *   another that has less, and each keeps its share: with 10,000 sites, the newest ten of each.
 */
export function retire(database: Database, { environment, site }: PassPlace, retention: Retention): void {
  const row = database.get(
    `SELECT min(seen_at) AS at FROM
       (SELECT seen_at FROM pass WHERE environment = ? AND site = ? ORDER BY id DESC LIMIT ${believed})
       HAVING count(*) = ${believed}`,
    environment,
    site,
  )
  const oldest = row === undefined ? 0 : (optionalInteger(row, 'at') ?? 0) - retention.ageMs
  const old = database.all(
    `SELECT id FROM pass WHERE environment = ? AND site = ? AND seen_at < ? ORDER BY seen_at LIMIT ${batch}`,
    environment,
    site,
    oldest,
  )
  for (const row of old) deletePass(database, integer(row, 'id'))
  makeRoom(database, passesOnRecord(database) - retention.passes)
  database.run(
    `DELETE FROM approval WHERE id IN (SELECT id FROM approval WHERE expires_at < ? LIMIT ${batch})`,
    oldest,
  )
  database.run('DELETE FROM discard WHERE at < ?', oldest)
  database.run('DELETE FROM answer WHERE at < ?', oldest)
}

/** Removes so many passes, or a few of them, each from the site that has the most by then. */
function makeRoom(database: Database, excess: number): void {
  for (let removed = 0; removed < Math.min(excess, batch); removed += 1) {
    const place = mostPasses(database)
    if (place === undefined) return
    const { environment, site } = place
    const row = database.get(
      'SELECT id FROM pass WHERE environment = ? AND site = ? ORDER BY id LIMIT 1',
      environment,
      site,
    )
    if (row === undefined) return
    deletePass(database, integer(row, 'id'))
  }
}

/** Removes a pass with its events, and its plan unless another pass made the same one. */
export function deletePass(database: Database, passId: number): void {
  const row = database.get('DELETE FROM pass WHERE id = ? RETURNING plan_id, environment, site', passId)
  if (row === undefined) return
  discountPass(database, passPlaceOf(row))
  const planId = optionalText(row, 'plan_id')
  if (planId === undefined) return
  database.run(
    'DELETE FROM plan WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM pass WHERE plan_id = ?1)',
    planId,
  )
}
