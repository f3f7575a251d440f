import type { LoadedRoutes, Route } from '../../state/application/ingress/route.ts'
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
  /** Returns what is loaded on any of these sites, each set of routes once, in the order of the first site that has it. */
  routesAnywhere(environment: string, sites: readonly string[]): readonly LoadedRoutes[]
  /** Returns those of these sites on which any routes are loaded, without reading them. */
  routedSites(environment: string, sites: readonly string[]): readonly string[]
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
          `SELECT body, json_group_array(site) AS sites FROM route
            WHERE environment = ? AND ${isOneOf} GROUP BY body ORDER BY min(site)`,
          environment,
          JSON.stringify(sites),
        )
        .map(row => ({ sites: JSON.parse(text(row, 'sites')), routes: JSON.parse(text(row, 'body')) })),
    routedSites: (environment, sites) =>
      database
        .all(
          `SELECT site FROM route WHERE environment = ? AND body <> '[]' AND ${isOneOf} ORDER BY site`,
          environment,
          JSON.stringify(sites),
        )
        .map(row => text(row, 'site')),
  }
}

const isOneOf = 'site IN (SELECT value FROM json_each(?))'
