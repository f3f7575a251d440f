import type { ServiceKey } from './applied.ts'
import { bounded } from './bounded.ts'
import type { Database } from './database.ts'
import { integer, text } from './row.ts'

/** What went wrong after a release was brought about, and undid nothing: its post hook failed (H30). */
export type Trouble = ServiceKey & {
  /** Of the service. */
  readonly release: string
  readonly code: string
  readonly message: string
  readonly atMs: number
}

/** Told until another release is wanted, or a person says `retry`. */
export type Troubles = {
  setTrouble(trouble: Trouble): void
  troubles(environment: string): readonly Trouble[]
  /** Another release is wanted, or was begun. */
  leaveTrouble(key: ServiceKey): void
  /** Of all applications, or of one; returns how many those were. */
  forgetTroubles(environment: string, application?: string): number
}

export function troublesIn(database: Database): Troubles {
  return {
    setTrouble: ({ environment, site, application, service, release, code, message, atMs }) => {
      database.run(
        'INSERT OR REPLACE INTO trouble VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        environment,
        site,
        application,
        service,
        release,
        code,
        bounded(message),
        atMs,
      )
    },
    troubles: environment =>
      database
        .all('SELECT * FROM trouble WHERE environment = ? ORDER BY site, application, service', environment)
        .map(row => ({
          environment: text(row, 'environment'),
          site: text(row, 'site'),
          application: text(row, 'application'),
          service: text(row, 'service'),
          release: text(row, 'release'),
          code: text(row, 'code'),
          message: text(row, 'message'),
          atMs: integer(row, 'at'),
        })),
    leaveTrouble: ({ environment, site, application, service }) => {
      database.run(
        'DELETE FROM trouble WHERE environment = ? AND site = ? AND application = ? AND service = ?',
        environment,
        site,
        application,
        service,
      )
    },
    forgetTroubles: (environment, application) =>
      database.run(
        'DELETE FROM trouble WHERE environment = ?1 AND (?2 IS NULL OR application = ?2)',
        environment,
        application,
      ),
  }
}
