import type { Route } from '../../state/application/route.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * The routes that the ingress of an environment loaded last. Routes of an application that cannot be read stay, and a
 * plan shows what changes.
 */
export type Routes = {
  setRoutes(environment: string, routes: readonly Route[]): void
  /** Returns the routes; empty if none were ever loaded. */
  routes(environment: string): readonly Route[]
  /** Whether any routes are loaded, without reading them. */
  hasRoutes(environment: string): boolean
}

/** Keeps loaded routes in a database. */
export function routesIn(database: Database): Routes {
  return {
    setRoutes: (environment, routes) => {
      database.run('INSERT OR REPLACE INTO route VALUES (?, ?)', environment, JSON.stringify(routes))
    },
    routes: environment => {
      const row = database.get('SELECT body FROM route WHERE environment = ?', environment)
      return row === undefined ? [] : JSON.parse(text(row, 'body'))
    },
    hasRoutes: environment =>
      database.get("SELECT 1 FROM route WHERE environment = ? AND body <> '[]'", environment) !== undefined,
  }
}
