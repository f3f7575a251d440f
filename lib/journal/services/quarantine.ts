import { optional } from '../../object.ts'
import { beginningOf } from '../store/beginning.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalInteger, optionalText, text } from '../store/row.ts'
import { forgetService, isOnSite, type ServiceKey, serviceOf, valuesOf } from './service-key.ts'

/** A release that did not become healthy, and why (G5). */
export type Quarantined = ServiceKey & {
  readonly target: string
  /** The release of the whole application: a correction of any part of it is another release (D18). */
  readonly release: string
  readonly commit: string
  /** The mark under which its version was kept when it began: the commit may be a later one. Absent: it was not kept. */
  readonly mark?: string
  readonly reason: { readonly code: string; readonly message: string }
  readonly atMs: number
}

/** What is quarantined, and after which versions of its application that came. */
export type QuarantinedAfter = Quarantined & {
  /** The number of the version that had entered last, and of the change of the wanted version before; absent: not known. */
  readonly after?: { readonly number: number; readonly wantedSeq: number }
}

export type Quarantine = {
  /** Puts a release of a service into quarantine, in place of an earlier one. */
  quarantine(entry: Quarantined): void
  /** Returns what is quarantined on one site, or on all. */
  quarantined(environment: string, site?: string): readonly QuarantinedAfter[]
  /** Ends the quarantine because another release is wanted. If this one is wanted again, it is tried again. */
  leaveQuarantine(key: ServiceKey): void
  /** Lets everything, or everything of one application, be tried again. Returns the number of services. */
  releaseQuarantined(environment: string, application?: string): number
}

/** Keeps quarantined releases in a database. */
export function quarantineIn(database: Database): Quarantine {
  return {
    quarantine: ({ target, release, commit, mark, reason, atMs, ...key }) => {
      database.run(
        `INSERT OR REPLACE INTO quarantine
           (environment, site, application, service, target, commit_id, code, message, at, release, mark, entry, wanted_seq)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, max(id), max(wanted_seq) FROM release_entry
             WHERE environment = ?1 AND application = ?3`,
        ...valuesOf(key),
        target,
        commit,
        reason.code,
        beginningOf(reason.message),
        atMs,
        release,
        mark,
      )
    },
    quarantined: (environment, site) =>
      database.all(`SELECT * FROM quarantine WHERE ${isOnSite(site)}`, environment, site).map(quarantinedOf),
    leaveQuarantine: key => forgetService(database, ['quarantine'], key),
    releaseQuarantined: (environment, application) =>
      database.run(
        'DELETE FROM quarantine WHERE environment = ?1 AND (?2 IS NULL OR application = ?2)',
        environment,
        application,
      ),
  }
}

function quarantinedOf(row: Row): QuarantinedAfter {
  const [number, wantedSeq] = [optionalInteger(row, 'entry'), optionalInteger(row, 'wanted_seq')]
  return {
    ...serviceOf(row),
    target: text(row, 'target'),
    release: text(row, 'release'),
    commit: text(row, 'commit_id'),
    ...optional('mark', optionalText(row, 'mark')),
    reason: { code: text(row, 'code'), message: text(row, 'message') },
    atMs: integer(row, 'at'),
    ...optional('after', number === undefined ? undefined : { number, wantedSeq: wantedSeq ?? 0 }),
  }
}
