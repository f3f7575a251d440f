import { optional } from '../../object.ts'
import type { Paths } from '../../state/fleet/queue.ts'
import type { PinnedImage } from '../../state/image/version.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, optionalText, text } from '../store/row.ts'
import { enterVersion, wantContent } from './entries.ts'

/**
 * A version of an application that can be gone back to: the commit that wants it says everything else about it (A6).
 * It is not about what ran on a site; `history/versions.ts` is.
 */
export type KeptVersion = {
  readonly environment: string
  readonly application: string
  readonly version: string
  /** The commit in which the application is as this version is kept. */
  readonly commit: string
  /** A hash of everything that the application is in that commit. */
  readonly mark: string
  /** Its images as they were pinned for that commit. Those of services without instances may have no digest. */
  readonly images: readonly PinnedImage[]
  /** From which versions it may be reached (A42); absent: an earlier Tallyman kept it, and did not note that. */
  readonly paths?: Paths
  /** An earlier commit that had this version with other images, whose place this one took. */
  readonly insteadOf?: string
  /** When this version was first wanted, or wanted again after another one. */
  readonly atMs: number
  /** It failed, and has not run as it is wanted on any site. */
  readonly hasOnlyFailed?: true
}

/** One version of an application. */
type OneVersion = Pick<KeptVersion, 'environment' | 'application' | 'version'>

/** The last versions of each application of an environment that were wanted (A6, X8). */
export type KeptVersions = {
  /**
   * Keeps a version as the newest of its application, and enters it if that was another one (A65): as one that nobody
   * wants yet, where a deployment names others. It takes the place of what was kept of the same version. Forgets all but
   * the four newest, and those that are needed: because a deployment names them, because somebody holds the application
   * there, or because a site may have to go by way of them. Of the latter only their commits are kept.
   */
  keepVersion(
    keptVersion: KeptVersion,
    needed?: { readonly named: readonly string[]; readonly ways: readonly string[] },
  ): void
  /** Notes that a version failed on a site, as it is kept now. */
  noteVersionFailed(version: OneVersion): void
  /** Notes that a version runs completely on a site, as it is kept now. */
  noteVersionRuns(version: OneVersion): void
  /** Returns the kept versions of an application, newest first. */
  keptVersions(environment: string, application: string): readonly KeptVersion[]
  /** Returns the kept versions of all applications, of one environment or of all, newest first. */
  allKeptVersions(environment?: string): readonly KeptVersion[]
  /** Returns the commits that kept and held versions need, of all environments. */
  keptCommits(): readonly string[]
}

/** How many versions of an application are kept (A6). */
const mostKept = 4

/** Keeps versions that can be gone back to in a database. */
export function keptVersionsIn(database: Database): KeptVersions {
  const keptVersions = (environment?: string, application?: string) =>
    database
      .all(
        `SELECT * FROM kept_release WHERE is_way = 0 AND (?1 IS NULL OR environment = ?1)
           AND (?2 IS NULL OR application = ?2) ORDER BY id DESC`,
        environment,
        application,
      )
      .map(keptVersionOf)
  return {
    keepVersion: (keptVersion, { named, ways } = { named: [], ways: [] }) =>
      database.transaction(() => {
        const { environment, application, version, commit, mark, images, paths, insteadOf, atMs } =
          keptVersion
        const own = [environment, application] as const
        const of = 'environment = ?1 AND application = ?2'
        // What became of it is known as long as it is the same.
        const same = database.get(
          `SELECT failed, ran FROM kept_release WHERE ${of} AND version = ?3 AND mark = ?4`,
          ...own,
          version,
          mark,
        )
        const newest = database.get(
          `SELECT version FROM kept_release WHERE ${of} AND is_way = 0 ORDER BY id DESC LIMIT 1`,
          ...own,
        )
        const replaced = database.run(
          `DELETE FROM kept_release WHERE ${of} AND version = ?3`,
          ...own,
          version,
        )
        if (replaced > 0 && same === undefined) wantContent(database, keptVersion)
        database.run(
          `INSERT INTO kept_release
             (environment, application, version, commit_id, mark, images, paths, instead_of, at, failed, ran)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
          ...own,
          version,
          commit,
          mark,
          JSON.stringify(images),
          paths === undefined ? undefined : JSON.stringify(paths),
          insteadOf,
          atMs,
          same === undefined ? 0 : integer(same, 'failed'),
          same === undefined ? 0 : integer(same, 'ran'),
        )
        const isWanted = named.length === 0 || named.includes(version)
        if (newest === undefined || text(newest, 'version') !== version)
          enterVersion(database, keptVersion, { isWanted })
        database.run(
          `UPDATE kept_release SET is_way = 1 WHERE ${of} AND version NOT IN (SELECT value FROM json_each(?3))
             AND version NOT IN (SELECT version FROM held_version WHERE ${of})
             AND id NOT IN (SELECT id FROM kept_release WHERE ${of} ORDER BY id DESC LIMIT ${mostKept})`,
          ...own,
          JSON.stringify(named),
        )
        database.run(
          `DELETE FROM kept_release WHERE ${of} AND is_way = 1 AND version NOT IN (SELECT value FROM json_each(?3))`,
          ...own,
          JSON.stringify(ways),
        )
      }),
    noteVersionFailed: version => note(database, 'failed', version),
    noteVersionRuns: version => note(database, 'ran', version),
    keptVersions,
    allKeptVersions: environment => keptVersions(environment),
    keptCommits: () =>
      database
        .all('SELECT commit_id FROM kept_release UNION SELECT commit_id FROM held_version')
        .map(row => text(row, 'commit_id')),
  }
}

function note(
  database: Database,
  column: 'failed' | 'ran',
  { environment, application, version }: OneVersion,
): void {
  database.run(
    `UPDATE kept_release SET ${column} = 1 WHERE environment = ? AND application = ? AND version = ? AND ${column} = 0`,
    environment,
    application,
    version,
  )
}

function keptVersionOf(row: Row): KeptVersion {
  const paths = optionalText(row, 'paths')
  return {
    environment: text(row, 'environment'),
    application: text(row, 'application'),
    version: text(row, 'version'),
    commit: text(row, 'commit_id'),
    mark: text(row, 'mark'),
    images: JSON.parse(text(row, 'images')),
    ...(paths === undefined ? {} : { paths: JSON.parse(paths) }),
    ...optional('insteadOf', optionalText(row, 'instead_of')),
    atMs: integer(row, 'at'),
    ...(integer(row, 'failed') === 1 && integer(row, 'ran') === 0 ? { hasOnlyFailed: true } : {}),
  }
}
