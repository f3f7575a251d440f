import type { Database, Row } from './database.ts'
import { text } from './row.ts'

/** One service on one site of an environment. */
export type ServiceKey = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly service: string
}

/** The tables with at most one row for each service. */
type ServiceTable = 'applied' | 'attempt' | 'quarantine' | 'trouble'

/** Selects the row of a service in these tables; its values are those of `valuesOf`. */
export const isOfService = 'environment = ? AND site = ? AND application = ? AND service = ?'

/**
 * Selects the rows of one site of an environment through the index, or those of all its sites. The values are the
 * environment and the site.
 */
export function isOnSite(site: string | undefined): string {
  return site === undefined ? 'environment = ?1 AND ?2 IS NULL' : 'environment = ?1 AND site = ?2'
}

/** Returns the values for `isOfService`. */
export function valuesOf(key: ServiceKey): readonly [string, string, string, string] {
  return [key.environment, key.site, key.application, key.service]
}

/** Returns the service that a row is of. */
export function serviceOf(row: Row): ServiceKey {
  return {
    environment: text(row, 'environment'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    service: text(row, 'service'),
  }
}

/** Removes the rows of a service from these tables. */
export function forgetService(database: Database, tables: readonly ServiceTable[], key: ServiceKey): void {
  for (const table of tables) database.run(`DELETE FROM ${table} WHERE ${isOfService}`, ...valuesOf(key))
}

/** Returns the name of that service within its environment: `site/application/service`. */
export function nameOfService(row: Row): string {
  return `${text(row, 'site')}/${text(row, 'application')}/${text(row, 'service')}`
}
