import type { Route } from '../../state/application/ingress/route.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * The routes that the ingress of a site loaded last. Routes of an application that cannot be read stay, and a plan
 * shows what changes.
 */
export type Routes = {
  setRoutes(environment: string, site: string, routes: readonly Route[]): void
  /** Returns the routes on one site; empty if none were ever loaded there. */
  routes(environment: string, site: string): readonly Route[]
  /** Returns what is loaded on any of these sites, each set of routes once. */
  routesAnywhere(environment: string, sites: readonly string[]): readonly (readonly Route[])[]
  /** Whether any routes are loaded on one of these sites, without reading them. */
  hasRoutes(environment: string, sites: readonly string[]): boolean
}

/** Keeps loaded routes in a database. */
export function routesIn(database: Database): Routes {
  return {
    setRoutes: (environment, site, routes) => {
      database.run('INSERT OR REPLACE INTO route VALUES (?, ?, ?)', environment, site, JSON.stringify(routes))
    },
    routes: (environment, site) => {
      const row = database.get('SELECT body FROM route WHERE environment = ? AND site = ?', environment, site)
      return row === undefined ? [] : JSON.parse(text(row, 'body'))
    },
    routesAnywhere: (environment, sites) =>
      database
        .all(
          `SELECT DISTINCT body FROM route WHERE environment = ? AND ${isOneOf}`,
          environment,
          JSON.stringify(sites),
        )
        .map(row => JSON.parse(text(row, 'body'))),
    hasRoutes: (environment, sites) =>
      database.get(
        `SELECT 1 FROM route WHERE environment = ? AND body <> '[]' AND ${isOneOf} LIMIT 1`,
        environment,
        JSON.stringify(sites),
      ) !== undefined,
  }
}

const isOneOf = 'site IN (SELECT value FROM json_each(?))'
