import type { Database, Row } from './database.ts'
import { integer, text } from './row.ts'

/** One service on one site of an environment. */
export type ServiceKey = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly service: string
}

export type AppliedTarget = { readonly target: string; readonly commit: string; readonly atMs: number }

/**
 * The last target that each service was brought to. This is history: only the engine knows what runs now. It separates
 * what somebody changed (drift) from what was never there.
 */
export type AppliedTargets = {
  setApplied(entry: ServiceKey & AppliedTarget): void
  /** Returns the targets by `site/application/service`. */
  applied(environment: string): ReadonlyMap<string, AppliedTarget>
  /** Forgets a service after its removal, except for its history. */
  forgetApplied(key: ServiceKey): void
}

/** Keeps the applied targets in a database. */
export function appliedIn(database: Database): AppliedTargets {
  return {
    setApplied: ({ environment, site, application, service, target, commit, atMs }) => {
      database.run(
        'INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?, ?, ?, ?)',
        environment,
        site,
        application,
        service,
        target,
        commit,
        atMs,
      )
    },
    applied: environment => {
      const rows = database.all('SELECT * FROM applied WHERE environment = ?', environment)
      return new Map(rows.map(row => [keyOf(row), targetOf(row)]))
    },
    forgetApplied: ({ environment, site, application, service }) => {
      for (const table of ['applied', 'attempt', 'trouble'])
        database.run(
          `DELETE FROM ${table} WHERE environment = ? AND site = ? AND application = ? AND service = ?`,
          environment,
          site,
          application,
          service,
        )
    },
  }
}

function keyOf(row: Row): string {
  return `${text(row, 'site')}/${text(row, 'application')}/${text(row, 'service')}`
}

function targetOf(row: Row): AppliedTarget {
  return { target: text(row, 'target'), commit: text(row, 'commit_id'), atMs: integer(row, 'at') }
}
