import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import { forgetService, isOnSite, type ServiceKey, serviceOf, valuesOf } from './service-key.ts'

/** What went wrong after a release was in place, and undid nothing: its post hook failed (H30). */
export type Trouble = ServiceKey & {
  /** The release of the service. */
  readonly release: string
  readonly code: string
  readonly message: string
  readonly atMs: number
}

/** With the version that the release brought its service to; absent: unknown. */
export type StandingTrouble = Trouble & { readonly version?: string }

/** The troubles are reported until another release is wanted, or a person runs `retry`. */
export type Troubles = {
  setTrouble(trouble: Trouble): void
  /** Returns the troubles of one site, or of all. */
  troubles(environment: string, site?: string): readonly StandingTrouble[]
  /** Forgets a trouble because another release is wanted or was begun. */
  leaveTrouble(key: ServiceKey): void
  /** Forgets the troubles of all applications, or of one; on all sites, or on one. Returns their number. */
  forgetTroubles(environment: string, application?: string, site?: string): number
}

/** Keeps troubles in a database. */
export function troublesIn(database: Database): Troubles {
  return {
    setTrouble: ({ release, code, message, atMs, ...key }) => {
      database.run(
        'INSERT OR REPLACE INTO trouble VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...valuesOf(key),
        release,
        code,
        beginningOf(message),
        atMs,
      )
    },
    troubles: (environment, site) =>
      database
        .all(
          `SELECT trouble.*, applied.version FROM trouble
             LEFT JOIN applied USING (environment, site, application, service)
             WHERE ${isOnSite(site)} ORDER BY site, application, service`,
          environment,
          site,
        )
        .map(row => ({
          ...serviceOf(row),
          release: text(row, 'release'),
          code: text(row, 'code'),
          message: text(row, 'message'),
          atMs: integer(row, 'at'),
          ...optional('version', optionalText(row, 'version')),
        })),
    leaveTrouble: key => forgetService(database, ['trouble'], key),
    forgetTroubles: (environment, application, site) =>
      database.run(
        `DELETE FROM trouble WHERE ${isOnSite(site)} AND (?3 IS NULL OR application = ?3)`,
        environment,
        site,
        application,
      ),
  }
}
