import type { ServiceMark } from '../../state/running/live.ts'
import type { Database, Row } from '../store/database.ts'
import { text } from '../store/row.ts'

/** A service of a Swarm as its manager told it right after it was changed by us. */
export type KnownService = {
  readonly environment: string
  readonly site: string
  /** Its own id. */
  readonly id: string
  readonly fingerprint: string
  readonly mark: ServiceMark
}

export type ServiceMarks = {
  /** Returns what was told of the services on a site, by their ids. */
  serviceMarks(environment: string, site: string): ReadonlyMap<string, KnownService>
  /** Replaces all of it. */
  keepServiceMarks(environment: string, site: string, services: readonly KnownService[]): void
}

/** Keeps what was told of services in a database. */
export function serviceMarksIn(database: Database): ServiceMarks {
  return {
    serviceMarks: (environment, site) =>
      new Map(
        database
          .all('SELECT * FROM service_mark WHERE environment = ? AND site = ?', environment, site)
          .map(row => [text(row, 'id'), knownOf(row)]),
      ),
    keepServiceMarks: (environment, site, services) =>
      database.transaction(() => {
        database.run('DELETE FROM service_mark WHERE environment = ? AND site = ?', environment, site)
        for (const { id, fingerprint, mark } of services)
          database.run(
            'INSERT INTO service_mark (environment, site, id, fingerprint, mark) VALUES (?, ?, ?, ?, ?)',
            environment,
            site,
            id,
            fingerprint,
            JSON.stringify(mark),
          )
      }),
  }
}

function knownOf(row: Row): KnownService {
  return {
    environment: text(row, 'environment'),
    site: text(row, 'site'),
    id: text(row, 'id'),
    fingerprint: text(row, 'fingerprint'),
    mark: JSON.parse(text(row, 'mark')),
  }
}
