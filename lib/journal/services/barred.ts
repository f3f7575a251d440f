import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'
import { isOfService, isOnSite, nameOfService, type ServiceKey, serviceOf, valuesOf } from './service-key.ts'

/**
 * A version of a service, by the digest of its image. Where the service is empty, an earlier version of Tallyman recorded
 * it, which did not tell the services of an application apart: then it counts for each of them.
 */
export type DeployedVersion = ServiceKey & { readonly digest: string }

/** A version of a service that may not be served, and why (P6). */
export type Barred = DeployedVersion & { readonly message: string; readonly atMs: number }

export type Bar = {
  /**
   * Bars a version whose deploy failed until a person releases it, whatever else changes. It no longer counts that its
   * deploy succeeded before.
   */
  barVersion(entry: Barred): void
  /** Returns what is barred on one site, or on all. */
  barred(environment: string, site?: string): readonly Barred[]
  /** Ends the bar because a person said so: the version is deployed again. */
  unbarVersion(entry: DeployedVersion): void
  /** Ends the bar because a deploy succeeded. */
  setDeployed(entry: DeployedVersion): void
  /**
   * Returns whether the last deploy of each version succeeded on one site, or on all, as `site/application/service/digest`
   * (D10). One that failed may be absent, unless another row counts for all services of its application.
   */
  deployed(environment: string, site?: string): ReadonlyMap<string, boolean>
  /** Lets all versions, or all of one application, be tried again. Returns their number. */
  releaseBarred(environment: string, application?: string): number
}

/** Keeps barred and deployed versions in a database. */
export function barIn(database: Database): Bar {
  const unbarVersion: Bar['unbarVersion'] = ({ digest, ...key }) => {
    database.run(`DELETE FROM barred WHERE ${isOfServiceOrAll} AND digest = ?`, ...valuesOf(key), digest)
  }
  return {
    unbarVersion,
    barVersion: ({ message, atMs, ...entry }) =>
      database.transaction(() => {
        const own = [...valuesOf(entry), entry.digest] as const
        database.run(`DELETE FROM deployed WHERE ${isOfService} AND digest = ?`, ...own)
        // The others have succeeded all the same.
        database.run(
          `INSERT INTO deployed SELECT environment, site, application, ?4, digest, 1 FROM deployed
             WHERE environment = ?1 AND site = ?2 AND application = ?3 AND service = '' AND digest = ?5`,
          ...own,
        )
        database.run(
          'INSERT OR REPLACE INTO barred VALUES (?, ?, ?, ?, ?, ?, ?)',
          ...valuesOf(entry),
          entry.digest,
          beginningOf(message),
          atMs,
        )
      }),
    barred: (environment, site) =>
      database.all(`SELECT * FROM barred WHERE ${isOnSite(site)}`, environment, site).map(barredOf),
    setDeployed: entry =>
      database.transaction(() => {
        unbarVersion(entry)
        database.run(
          'INSERT OR REPLACE INTO deployed VALUES (?, ?, ?, ?, ?, 0)',
          ...valuesOf(entry),
          entry.digest,
        )
      }),
    deployed: (environment, site) => {
      const rows = database.all(`SELECT * FROM deployed WHERE ${isOnSite(site)}`, environment, site)
      return new Map(
        rows.map(row => [`${nameOfService(row)}/${text(row, 'digest')}`, integer(row, 'failed') === 0]),
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

/** Selects what is on record of a service, and what is of all services of its application. */
const isOfServiceOrAll = "environment = ? AND site = ? AND application = ? AND service IN (?, '')"

function barredOf(row: Row): Barred {
  return {
    ...serviceOf(row),
    digest: text(row, 'digest'),
    message: text(row, 'message'),
    atMs: integer(row, 'at'),
  }
}
