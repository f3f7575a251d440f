import type { FailedVersion } from '../../state/fleet/failed-version.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/** Where versions of applications failed. */
export type FailedVersions = {
  /**
   * Returns where a version of an application failed last, by itself or on the way to another one: in a deployment, unless
   * it has been found healthy there since, or as what is quarantined. Undefined: nothing of that is on record any more.
   */
  lastFailure(environment: string, application: string, version: string): FailedVersion | undefined
}

/** Reads that in a database: runs and quarantine record it. Kinds of facts are named as the indexes do. */
export function failedVersionsIn(database: Database): FailedVersions {
  return {
    lastFailure: (environment, application, version) => {
      const row = database.get(
        `SELECT failed.subject AS site, failed.detail AS message, failed.at AS at FROM run
             JOIN run_fact AS failed ON failed.run_id = run.id AND failed.kind IN ('failed', 'word')
               AND failed.kind = 'failed'
             WHERE run.environment = ?1 AND run.application = ?2 AND coalesce(failed.step, run.version) = ?3
               AND NOT EXISTS (SELECT 1 FROM run AS later JOIN run_fact AS reached ON reached.run_id = later.id
                 WHERE later.environment = ?1 AND later.application = ?2 AND later.version = ?3
                   AND reached.kind IN ('reached', 'stopped', 'silent', 'hindered') AND reached.kind = 'reached'
                   AND reached.subject = failed.subject AND reached.id > failed.id)
           UNION ALL
           SELECT site, message, quarantine.at FROM quarantine
             JOIN kept_release AS kept USING (environment, application, mark)
             WHERE environment = ?1 AND application = ?2 AND kept.version = ?3
           ORDER BY at DESC LIMIT 1`,
        environment,
        application,
        version,
      )
      return row && failedOf(row)
    },
  }
}

function failedOf(row: Row): FailedVersion {
  return { site: text(row, 'site'), reason: text(row, 'message'), atMs: integer(row, 'at') }
}
