import { optional } from '../../object.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import { forgetService, isOnSite, nameOfService, type ServiceKey, valuesOf } from './service-key.ts'

export type AppliedTarget = {
  readonly target: string
  /** The version that its application had (X19); absent: unknown. */
  readonly version?: string
  readonly commit: string
  readonly atMs: number
}

/**
 * The last target that each service was brought to. This is history: only the engine knows what runs now. It separates
 * what somebody changed (drift) from what was never there.
 */
export type AppliedTargets = {
  setApplied(entry: ServiceKey & AppliedTarget): void
  /** Returns the targets of one site, or of all, by `site/application/service`. */
  applied(environment: string, site?: string): ReadonlyMap<string, AppliedTarget>
  /** Returns the versions of an application that its services were brought to, on any site; empty: an unknown one. */
  appliedVersions(environment: string, application: string): ReadonlySet<string>
  /** Forgets a service after its removal, except for its history. */
  forgetApplied(key: ServiceKey): void
}

/** Keeps the applied targets in a database. */
export function appliedIn(database: Database): AppliedTargets {
  return {
    setApplied: ({ target, version, commit, atMs, ...key }) => {
      database.run(
        'INSERT OR REPLACE INTO applied VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...valuesOf(key),
        target,
        commit,
        atMs,
        version,
      )
    },
    applied: (environment, site) => {
      const rows = database.all(`SELECT * FROM applied WHERE ${isOnSite(site)}`, environment, site)
      return new Map(rows.map(row => [nameOfService(row), targetOf(row)]))
    },
    appliedVersions: (environment, application) => {
      const rows = database.all(
        'SELECT DISTINCT version FROM applied WHERE environment = ? AND application = ?',
        environment,
        application,
      )
      return new Set(rows.map(row => optionalText(row, 'version') ?? ''))
    },
    forgetApplied: key => forgetService(database, ['applied', 'attempt', 'trouble'], key),
  }
}

function targetOf(row: Row): AppliedTarget {
  return {
    target: text(row, 'target'),
    ...optional('version', optionalText(row, 'version')),
    commit: text(row, 'commit_id'),
    atMs: integer(row, 'at'),
  }
}
