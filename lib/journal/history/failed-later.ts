import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, text } from '../store/row.ts'

/** A version whose deployment failed on the site of a pass, after or at the end of that (A33). */
export type FailedLater = {
  readonly deployment: string
  readonly application: string
  readonly version: string
  readonly reason: string
  readonly atMs: number
}

/**
 * Returns the failures of deployments since the first of these passes began, oldest first, by the last pass over their site
 * that had begun by then: a version that fails in its healthy time fails after the pass that brought it was over. There are
 * many runs, and few failures: these are read from their index, which the kinds are named for. Passes are gone through from
 * the newest one back, so that a long history costs nothing.
 * @param passes rows of `pass`
 */
export function failedLater(
  database: Database,
  passes: readonly Row[],
): ReadonlyMap<number, readonly FailedLater[]> {
  const rows = database.all(
    `SELECT run.deployment, run.application, coalesce(failed.step, run.version) AS version, failed.detail, failed.at,
         (SELECT id FROM pass WHERE pass.environment = run.environment AND pass.site = failed.subject
            AND pass.started_at <= failed.at ORDER BY id DESC LIMIT 1) AS pass_id
       FROM run_fact AS failed INDEXED BY run_fact_judged CROSS JOIN run ON run.id = failed.run_id
       WHERE failed.kind IN ('failed', 'word') AND failed.kind = 'failed' AND failed.at >= ? ORDER BY failed.id`,
    passes.reduce((least, pass) => Math.min(least, integer(pass, 'started_at')), Number.MAX_SAFE_INTEGER),
  )
  const byPass = Map.groupBy(rows, row => optionalInteger(row, 'pass_id') ?? 0)
  return new Map([...byPass].map(([passId, own]) => [passId, own.map(failedOf)]))
}

function failedOf(row: Row): FailedLater {
  return {
    deployment: text(row, 'deployment'),
    application: text(row, 'application'),
    version: text(row, 'version'),
    reason: text(row, 'detail'),
    atMs: integer(row, 'at'),
  }
}
