import { type ErrorCode, isErrorCode } from '../../errors/catalogue.ts'
import { optional } from '../../object.ts'
import type { Obstacle } from '../../state/fleet/obstacle.ts'
import { byText } from '../../text/order.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'

/** Why deployments are not carried out, and since when (G13). What it says follows from a commit; the time does not. */
export type Obstacles = {
  /** Returns those of an environment, by the names of the deployments. */
  obstacles(environment: string): ReadonlyMap<string, Obstacle>
  /** Replaces those of an environment. What was so before keeps its time. */
  setObstacles(environment: string, all: readonly Omit<Obstacle, 'atMs'>[], atMs: number): void
}

/** Keeps obstacles in a database. */
export function obstaclesIn(database: Database): Obstacles {
  const obstacles: Obstacles['obstacles'] = environment =>
    new Map(
      database
        .all('SELECT * FROM obstacle WHERE environment = ? ORDER BY deployment', environment)
        .map(row => [text(row, 'deployment'), obstacleOf(row)]),
    )
  return {
    obstacles,
    setObstacles: (environment, all, atMs) => {
      const before = obstacles(environment)
      const dated = all
        .map(one => ({ ...one, atMs: sinceOf(one, before.get(one.deployment)) ?? atMs }))
        .sort(byText(({ deployment }) => deployment))
      if (JSON.stringify(dated) === JSON.stringify([...before.values()])) return
      database.transaction(() => {
        database.run('DELETE FROM obstacle WHERE environment = ?', environment)
        for (const one of dated) add(database, environment, one)
      })
    },
  }
}

function add(
  database: Database,
  environment: string,
  { deployment, application, version, code, reason, hint, atMs }: Obstacle,
): void {
  database.run(
    `INSERT INTO obstacle (environment, deployment, application, version, code, reason, hint, at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    environment,
    deployment,
    application,
    version,
    code,
    reason,
    hint,
    atMs,
  )
}

/** It is the same obstacle as long as it is told in the same words. */
function sinceOf(
  { version, code, reason }: Omit<Obstacle, 'atMs'>,
  before: Obstacle | undefined,
): number | undefined {
  const isSame = before?.code === code && before.reason === reason && before.version === version
  return isSame ? before.atMs : undefined
}

function obstacleOf(row: Row): Obstacle {
  return {
    deployment: text(row, 'deployment'),
    application: text(row, 'application'),
    ...optional('version', optionalText(row, 'version')),
    code: codeIn(row),
    reason: text(row, 'reason'),
    hint: text(row, 'hint'),
    atMs: integer(row, 'at'),
  }
}

/** A code that this program no longer has still stands for something that is wrong. */
function codeIn(row: Row): ErrorCode {
  const code = text(row, 'code')
  return isErrorCode(code) ? code : 'deployment-invalid'
}
