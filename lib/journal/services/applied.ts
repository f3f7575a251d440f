import { optional } from '../../object.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import {
  forgetService,
  isOfService,
  isOnSite,
  nameOfService,
  type ServiceKey,
  valuesOf,
} from './service-key.ts'

export type AppliedTarget = {
  readonly target: string
  /** The version that its application had (X19); absent: unknown. */
  readonly version?: string
  readonly commit: string
  readonly atMs: number
  /** How its volumes were made, by their names, as `volumeMark` tells it; absent: none is known. */
  readonly volumes?: Readonly<Record<string, string>>
}

/** Services of one site that are as a commit wants them. */
export type Confirmed = Pick<ServiceKey, 'environment' | 'site'> &
  Pick<AppliedTarget, 'commit' | 'atMs'> & {
    readonly services: readonly Pick<ServiceKey, 'application' | 'service'>[]
  }

/**
 * The last target that each service was brought to. This is history: only the engine knows what runs now. It separates
 * what somebody changed (drift) from what was never there.
 */
export type AppliedTargets = {
  /** What is known of its volumes stays. */
  setApplied(entry: ServiceKey & Omit<AppliedTarget, 'volumes'>): void
  /** Records that a commit, which changes nothing of these services of a site, wants them as they are. */
  confirmApplied(confirmed: Confirmed): void
  /** Records how volumes of a service that was applied were made. What is known of its others stays. */
  noteVolumes(key: ServiceKey, volumes: Readonly<Record<string, string>>): void
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
        `INSERT INTO applied (environment, site, application, service, target, commit_id, at, version)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (environment, site, application, service) DO UPDATE
             SET target = excluded.target, commit_id = excluded.commit_id, at = excluded.at,
               version = excluded.version`,
        ...valuesOf(key),
        target,
        commit,
        atMs,
        version,
      )
    },
    confirmApplied: ({ environment, site, services, commit, atMs }) => {
      database.run(
        `UPDATE applied SET commit_id = ?, at = ? WHERE environment = ? AND site = ? AND (application, service) IN
           (SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
        ...[commit, atMs, environment, site],
        JSON.stringify(services.map(({ application, service }) => [application, service])),
      )
    },
    noteVolumes: (key, volumes) => {
      database.run(
        `UPDATE applied SET volumes = json_patch(coalesce(volumes, '{}'), ?) WHERE ${isOfService}`,
        JSON.stringify(volumes),
        ...valuesOf(key),
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
    ...optional('volumes', volumesIn(row)),
  }
}

function volumesIn(row: Row): AppliedTarget['volumes'] {
  const written = optionalText(row, 'volumes')
  return written === undefined ? undefined : JSON.parse(written)
}
