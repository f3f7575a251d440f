import { type PinnedImage, pinnedName, type Version } from '../../state/image/version.ts'
import type { Database, Row } from '../store/database.ts'
import { integer, text } from '../store/row.ts'

/**
 * The images with which each application ran on each site, which a rollback may need (A6, X8). Two versions with the
 * same images are one. The 100 newest of each application on a site are remembered.
 */
export type Versions = {
  /** Records the images of an application as its newest version. Writes nothing if they are recorded already. */
  setVersion(version: Version): void
  /** Returns the versions of all environments on one site, newest first. */
  versions(site: string): readonly Version[]
  /** Forgets images by digest, because they are gone or are left alone. A version without images is forgotten too. */
  forgetImages(place: Pick<Version, 'environment' | 'site'>, digests: readonly string[]): void
}

const kept = 100

/** Keeps versions in a database. */
export function versionsIn(database: Database): Versions {
  return {
    setVersion: version => {
      if (version.images.length === 0) return
      const newest = idsOf(database, version, 1)
      if (newest.some(id => hasImages(database, id, version))) return
      database.transaction(() => {
        for (const id of idsOf(database, version, kept))
          if (hasImages(database, id, version)) database.run('DELETE FROM version WHERE id = ?', id)
        insert(database, version)
        const { environment, site, application } = version
        database.run(
          `DELETE FROM version WHERE environment = ?1 AND site = ?2 AND application = ?3 AND id <= (
             SELECT id FROM version WHERE environment = ?1 AND site = ?2 AND application = ?3
               ORDER BY id DESC LIMIT 1 OFFSET ${kept})`,
          environment,
          site,
          application,
        )
      })
    },
    versions: site => {
      const rows = database.all(
        `SELECT * FROM version JOIN version_image ON version_id = id WHERE site = ?
           ORDER BY id DESC, reference, digest`,
        site,
      )
      return [...Map.groupBy(rows, row => integer(row, 'id')).values()].flatMap(versionOf)
    },
    forgetImages: ({ environment, site }, digests) =>
      database.transaction(() => {
        for (const digest of digests) {
          database.run(
            `DELETE FROM version_image WHERE digest = ?
               AND version_id IN (SELECT id FROM version WHERE environment = ? AND site = ?)`,
            digest,
            environment,
            site,
          )
        }
        database.run(
          `DELETE FROM version WHERE environment = ? AND site = ?
             AND NOT EXISTS (SELECT 1 FROM version_image WHERE version_id = version.id)`,
          environment,
          site,
        )
      }),
  }
}

/** Returns the newest first. */
function idsOf(
  database: Database,
  { environment, site, application }: Version,
  most: number,
): readonly number[] {
  return database
    .all(
      'SELECT id FROM version WHERE environment = ? AND site = ? AND application = ? ORDER BY id DESC LIMIT ?',
      environment,
      site,
      application,
      most,
    )
    .map(row => integer(row, 'id'))
}

function hasImages(database: Database, id: number, { images }: Version): boolean {
  const names = new Set(images.map(pinnedName))
  const there = imagesOf(database, id)
  return there.length === names.size && there.every(image => names.has(pinnedName(image)))
}

function imagesOf(database: Database, id: number): readonly PinnedImage[] {
  return database.all('SELECT * FROM version_image WHERE version_id = ?', id).map(imageOf)
}

function imageOf(row: Row): PinnedImage {
  return { reference: text(row, 'reference'), digest: text(row, 'digest') }
}

/** Reads one version from the rows of its images. */
function versionOf(rows: readonly Row[]): readonly Version[] {
  return rows.slice(0, 1).map(row => ({
    environment: text(row, 'environment'),
    site: text(row, 'site'),
    application: text(row, 'application'),
    images: rows.map(imageOf),
  }))
}

function insert(database: Database, { environment, site, application, images }: Version): void {
  const row = database.get(
    'INSERT INTO version (environment, site, application) VALUES (?, ?, ?) RETURNING id',
    environment,
    site,
    application,
  )
  if (row === undefined) return
  const id = integer(row, 'id')
  for (const { reference, digest } of images)
    database.run('INSERT OR IGNORE INTO version_image VALUES (?, ?, ?)', id, reference, digest)
}
