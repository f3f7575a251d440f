import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/** The last known state of a site, as its writer stored it, and when its containers were last seen. */
export type KeptState = { readonly site: string; readonly state: unknown; readonly seenMs: number }

export type LastStates = {
  /**
   * Stores the state of a site if it changed, and its time in any case. Without `seenMs` the containers were not seen
   * this time. A state of the empty site is about the environment as a whole.
   */
  keepState(environment: string, site: string, state: object, seenMs?: number): void
  /** Returns the state of one site. */
  keptState(environment: string, site: string): KeptState | undefined
  /** Returns the states of an environment, sorted by site. */
  keptStates(environment: string): readonly KeptState[]
  /** Returns when the containers of a site were last seen, in ms since 1970; undefined: nothing is known of it. */
  lastSeenMs(environment: string, site: string): number | undefined
  /** Forgets what was said about the environment as a whole. */
  forgetCommonState(environment: string): void
  /** Returns the sites of which a state or a waiting plan is kept. */
  keptSites(environment: string): readonly string[]
  /** Forgets the state and the waiting plan of a site, and nothing of what was done there. */
  forgetSite(environment: string, site: string): void
  /** Returns the names of the environments that the journal knows, sorted. */
  knownEnvironments(): readonly string[]
  /**
   * Returns the names of the sites that it knows, of one environment or of all, sorted: also of one over which no pass is
   * on record any more.
   */
  knownSites(environment?: string): readonly string[]
  /**
   * Returns the names of the applications that it knows, of one environment or of all, sorted. What a plan removes
   * that belongs to no service, such as a network, is named with a blank, and is no application.
   */
  knownApplications(environment?: string): readonly string[]
}

/** Keeps the last known states in a database. */
export function lastStatesIn(database: Database): LastStates {
  return {
    keepState: (environment, site, state, seenMs) => {
      const body = JSON.stringify(state)
      const isSame = database.run(
        `UPDATE last_state SET seen_at = coalesce(?4, seen_at)
           WHERE environment = ?1 AND site = ?2 AND body = ?3`,
        environment,
        site,
        body,
        seenMs,
      )
      if (isSame > 0) return
      database.run(
        `INSERT INTO last_state VALUES (?1, ?2, ?3, coalesce(?4, 0)) ON CONFLICT DO UPDATE
           SET body = ?3, seen_at = coalesce(?4, seen_at)`,
        environment,
        site,
        body,
        seenMs,
      )
    },
    keptState: (environment, site) => {
      const row = database.get(
        'SELECT * FROM last_state WHERE environment = ? AND site = ?',
        environment,
        site,
      )
      return row && stateOf(row)
    },
    keptStates: environment =>
      database.all('SELECT * FROM last_state WHERE environment = ? ORDER BY site', environment).map(stateOf),
    lastSeenMs: (environment, site) => {
      const row = database.get(
        'SELECT seen_at FROM last_state WHERE environment = ? AND site = ?',
        environment,
        site,
      )
      return row && integer(row, 'seen_at')
    },
    forgetCommonState: environment => {
      database.run("DELETE FROM last_state WHERE environment = ? AND site = ''", environment)
    },
    keptSites: environment =>
      database
        .all(
          `SELECT site FROM last_state WHERE environment = ?1 AND site <> ''
             UNION SELECT site FROM waiting WHERE environment = ?1`,
          environment,
        )
        .map(row => text(row, 'site')),
    forgetSite: (environment, site) =>
      database.transaction(() => {
        for (const table of ['last_state', 'waiting'])
          database.run(`DELETE FROM ${table} WHERE environment = ? AND site = ?`, environment, site)
      }),
    knownEnvironments: () =>
      database
        .all(
          `SELECT environment AS name FROM pass_count UNION SELECT environment FROM last_state
             UNION SELECT environment FROM suspension UNION SELECT environment FROM applied ORDER BY name`,
        )
        .map(row => text(row, 'name'))
        .filter(name => name !== ''),
    knownSites: environment =>
      database
        .all(
          `SELECT site AS name FROM pass_count WHERE ?1 IS NULL OR environment = ?1
           UNION SELECT site FROM last_state WHERE ?1 IS NULL OR environment = ?1
           UNION SELECT site FROM applied WHERE ?1 IS NULL OR environment = ?1
           UNION SELECT site FROM served_engine WHERE ?1 IS NULL OR environment = ?1
           ORDER BY name`,
          environment,
        )
        .map(row => text(row, 'name'))
        .filter(name => name !== ''),
    knownApplications: environment =>
      database
        .all(
          `SELECT part.application AS name FROM plan_change AS part JOIN pass ON pass.plan_id = part.plan_id
             WHERE instr(part.service, ' ') = 0 AND (?1 IS NULL OR pass.environment = ?1)
           UNION SELECT application FROM applied
             WHERE instr(service, ' ') = 0 AND (?1 IS NULL OR environment = ?1)
           UNION SELECT application FROM quarantine
             WHERE instr(service, ' ') = 0 AND (?1 IS NULL OR environment = ?1)
           UNION SELECT application FROM barred WHERE ?1 IS NULL OR environment = ?1
           UNION SELECT application FROM suspension WHERE ?1 IS NULL OR environment = ?1
           ORDER BY name`,
          environment,
        )
        .map(row => text(row, 'name'))
        .filter(name => name !== ''),
  }
}

function stateOf(row: Row): KeptState {
  return {
    site: text(row, 'site'),
    state: JSON.parse(text(row, 'body')),
    seenMs: integer(row, 'seen_at'),
  }
}
