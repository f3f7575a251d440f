import type { Deployment } from '../../state/fleet/deployment.ts'
import type { Database, Row } from '../store/database.ts'
import { optionalText, text } from '../store/row.ts'

/** The sites that a deployment means, as they were when it was last evaluated (A25). */
export type PlacedSites = {
  /** What the deployment said when it was last read. */
  readonly deployment: Deployment
  readonly sites: readonly string[]
  readonly canaries: readonly string[]
  /**
   * The endpoints of all sites that it was evaluated with, by site. What has joined since is neither given the
   * application nor stripped of it. Absent: a former version did not note them.
   */
  readonly known?: Readonly<Record<string, string>>
}

/**
 * Remembered, because a label that changes, or a new site, changes nothing until the deployment does, or a person asks
 * for it (A25).
 */
export type Placements = {
  /** Returns the deployments of an environment by name. What nobody has replaced since it was read is the same value. */
  placements(environment: string): ReadonlyMap<string, PlacedSites>
  /** Replaces what was remembered of the deployment. */
  setPlacement(environment: string, placed: PlacedSites): void
  /** Has the sites of a deployment evaluated anew when it is read the next time. */
  evaluateAnew(environment: string, deployment: string): void
  /** Forgets a deployment that is gone. Returns whether it was known. */
  forgetPlacement(environment: string, deployment: string): boolean
}

/** Keeps placements in a database. */
export function placementsIn(database: Database): Placements {
  /** By environment and deployment: what was read last, and the row that said so. Another process may replace it. */
  const read = new Map<string, ReadonlyMap<string, { readonly row: Row; readonly placed: PlacedSites }>>()
  return {
    placements: environment => {
      const before = read.get(environment)
      const now = new Map(
        database
          .all('SELECT * FROM placement WHERE environment = ? ORDER BY deployment', environment)
          .map(row => {
            const name = text(row, 'deployment')
            const known = before?.get(name)
            return [name, known && isSame(known.row, row) ? known : { row, placed: placedIn(row) }]
          }),
      )
      read.set(environment, now)
      return new Map([...now].map(([name, { placed }]) => [name, placed]))
    },
    setPlacement: (environment, { deployment, sites, canaries, known }) => {
      database.run(
        'INSERT OR REPLACE INTO placement VALUES (?, ?, ?, ?, ?, ?)',
        environment,
        deployment.name,
        JSON.stringify(deployment),
        JSON.stringify(sites),
        JSON.stringify(canaries),
        known === undefined ? undefined : JSON.stringify(known),
      )
    },
    evaluateAnew: (environment, deployment) => {
      database.run(
        `UPDATE placement SET body = json_set(body, '$.revision', '') WHERE environment = ? AND deployment = ?`,
        environment,
        deployment,
      )
    },
    forgetPlacement: (environment, deployment) =>
      database.run(
        'DELETE FROM placement WHERE environment = ? AND deployment = ?',
        environment,
        deployment,
      ) > 0,
  }
}

function isSame(one: Row, other: Row): boolean {
  return Object.keys(other).every(column => one[column] === other[column])
}

function placedIn(row: Row): PlacedSites {
  const known = optionalText(row, 'known')
  return {
    deployment: JSON.parse(text(row, 'body')),
    sites: JSON.parse(text(row, 'sites')),
    canaries: JSON.parse(text(row, 'canaries')),
    ...(known === undefined ? {} : { known: JSON.parse(known) }),
  }
}
