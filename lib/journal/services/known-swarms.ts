import { optional } from '../../object.ts'
import type { Database, Row } from '../store/database.ts'
import { optionalInteger, text } from '../store/row.ts'

/** The Swarm of a site, as it was seen last. */
export type SwarmOnRecord = {
  readonly id: string
  /**
   * When it was found to be another one than that on which something ran, in ms since 1970; absent: it is the same, or
   * something was applied there since then.
   */
  readonly anewAtMs?: number
}

/** Which Swarm each site is: one that was left and made anew has nothing of what ran on the former. */
export type KnownSwarms = {
  /** Returns the Swarm of a site; undefined: it is not known. */
  knownSwarm(environment: string, site: string): SwarmOnRecord | undefined
  /** Returns the sites whose Swarm was made anew, and on which nothing was applied since then. */
  swarmsAnew(environment: string): readonly (SwarmOnRecord & { readonly site: string })[]
  knowSwarm(environment: string, site: string, swarm: SwarmOnRecord): void
  /** Forgets that a site is a Swarm. */
  forgetSwarm(environment: string, site: string): void
}

/** Keeps them in a database. */
export function knownSwarmsIn(database: Database): KnownSwarms {
  return {
    knownSwarm(environment, site) {
      const row = database.get(`${all} AND swarm.site = ?`, environment, site)
      return row && swarmOf(row)
    },
    swarmsAnew: environment =>
      database
        .all(`${all} ORDER BY swarm.site`, environment)
        .map(row => ({ site: text(row, 'site'), ...swarmOf(row) }))
        .filter(({ anewAtMs }) => anewAtMs !== undefined),
    knowSwarm: (environment, site, { id, anewAtMs }) => {
      database.run('INSERT OR REPLACE INTO swarm VALUES (?, ?, ?, ?)', environment, site, id, anewAtMs)
    },
    forgetSwarm: (environment, site) => {
      database.run('DELETE FROM swarm WHERE environment = ? AND site = ?', environment, site)
    },
  }
}

/** What is put aside with a Swarm is no longer there as applied. */
const all = `SELECT site, id, CASE WHEN NOT EXISTS
    (SELECT 1 FROM applied WHERE applied.environment = swarm.environment AND applied.site = swarm.site)
    THEN anew_at END AS anew_at
  FROM swarm WHERE swarm.environment = ?`

function swarmOf(row: Row): SwarmOnRecord {
  return { id: text(row, 'id'), ...optional('anewAtMs', optionalInteger(row, 'anew_at')) }
}
