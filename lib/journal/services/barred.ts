import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'
import { isOnSite } from './service-key.ts'

/** A version of an application, by the digest of its image, that may not be served, and why (P6). */
export type Barred = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly digest: string
  readonly message: string
  readonly atMs: number
}

export type Bar = {
  /** Bars a version whose deploy failed until a person releases it, whatever else changes. */
  bar(entry: Barred): void
  /** Returns what is barred on one site, or on all. */
  barred(environment: string, site?: string): readonly Barred[]
  /** Ends the bar because a person said so: the version is deployed again. */
  unbar(entry: Pick<Barred, 'environment' | 'site' | 'application' | 'digest'>): void
  /** Ends the bar because a deploy succeeded. */
  setDeployed(entry: Pick<Barred, 'environment' | 'site' | 'application' | 'digest'>): void
  /** Returns the versions whose deploy succeeded on one site, or on all, as `site/application/digest` (D10). */
  deployed(environment: string, site?: string): ReadonlySet<string>
  /** Lets all versions, or all of one application, be tried again. Returns their number. */
  releaseBarred(environment: string, application?: string): number
}

/** Keeps barred and deployed versions in a database. */
export function barIn(database: Database): Bar {
  const unbar: Bar['unbar'] = ({ environment, site, application, digest }) => {
    database.run(
      'DELETE FROM barred WHERE environment = ? AND site = ? AND application = ? AND digest = ?',
      environment,
      site,
      application,
      digest,
    )
  }
  return {
    unbar,
    bar: ({ environment, site, application, digest, message, atMs }) => {
      database.run(
        'INSERT OR REPLACE INTO barred VALUES (?, ?, ?, ?, ?, ?)',
        environment,
        site,
        application,
        digest,
        beginningOf(message),
        atMs,
      )
    },
    barred: (environment, site) =>
      database.all(`SELECT * FROM barred WHERE ${isOnSite(site)}`, environment, site).map(barredOf),
    setDeployed: entry =>
      database.transaction(() => {
        const { environment, site, application, digest } = entry
        unbar(entry)
        database.run(
          'INSERT OR IGNORE INTO deployed VALUES (?, ?, ?, ?)',
          environment,
          site,
          application,
          digest,
        )
      }),
    deployed: (environment, site) => {
      const rows = database.all(`SELECT * FROM deployed WHERE ${isOnSite(site)}`, environment, site)
      return new Set(
        rows.map(row => `${text(row, 'site')}/${text(row, 'application')}/${text(row, 'digest')}`),
      )
    },
    releaseBarred: (environment, application) =>
      database.run(
        'DELETE FROM barred WHERE environment = ?1 AND (?2 IS NULL OR application = ?2)',
        environment,
        application,
      ),
  }
}

function barredOf(row: Row): Barred {
  return {
    environment: text(row, 'environment'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    digest: text(row, 'digest'),
    message: text(row, 'message'),
    atMs: integer(row, 'at'),
  }
}
