import { ofConfiguration, type ResolutionStore } from '../../state/image/resolutions.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * Tags are remembered for the commits that were resolved last, and for those that are in use: the current and the last
 * good ones of environments, those from which something was applied, and those of kept and held versions (A6). Those of
 * images that the operator names are never forgotten.
 */
const keptCommits = 20
const keptPairs = 10_000

/** Keeps the resolutions of tags in a database. */
export function resolutionsIn(
  database: Database,
  { readOnly }: { readonly readOnly: boolean },
): ResolutionStore {
  return {
    find: ({ reference, expected, commit }) => {
      const row =
        expected === undefined
          ? database.get(
              'SELECT digest FROM resolved_tag WHERE commit_id = ? AND reference = ?',
              commit,
              reference,
            )
          : database.get(
              'SELECT digest FROM verified_digest WHERE reference = ? AND expected = ?',
              reference,
              expected,
            )
      return row === undefined ? undefined : text(row, 'digest')
    },
    remember: ({ reference, expected, digest, commit }) => {
      if (readOnly) return
      database.transaction(() => {
        if (expected === undefined) rememberTag(database, reference, digest, commit)
        else rememberPair(database, reference, expected, digest)
      })
    },
  }
}

function rememberTag(database: Database, reference: string, digest: string, commit: string): void {
  const isNew = database.get('SELECT 1 FROM resolved_tag WHERE commit_id = ?', commit) === undefined
  database.run(
    'INSERT OR IGNORE INTO resolved_tag (reference, digest, commit_id) VALUES (?, ?, ?)',
    reference,
    digest,
    commit,
  )
  if (isNew) forgetOldCommits(database)
}

function forgetOldCommits(database: Database): void {
  database.run(
    `DELETE FROM resolved_tag
       WHERE commit_id <> ?
         AND commit_id NOT IN (SELECT commit_id FROM resolved_tag GROUP BY commit_id ORDER BY max(id) DESC LIMIT ?)
         AND commit_id NOT IN (SELECT commit_id FROM pass WHERE id IN
           (SELECT max(id) FROM pass WHERE commit_id IS NOT NULL GROUP BY environment))
         AND commit_id NOT IN (SELECT commit_id FROM last_good)
         AND commit_id NOT IN (SELECT commit_id FROM applied)
         AND commit_id NOT IN (SELECT commit_id FROM kept_release)
         AND commit_id NOT IN (SELECT commit_id FROM held_version)`,
    ofConfiguration,
    keptCommits,
  )
}

function rememberPair(database: Database, reference: string, expected: string, digest: string): void {
  database.run(
    'INSERT OR IGNORE INTO verified_digest (reference, expected, digest) VALUES (?, ?, ?)',
    reference,
    expected,
    digest,
  )
  database.run(
    'DELETE FROM verified_digest WHERE id <= (SELECT id FROM verified_digest ORDER BY id DESC LIMIT 1 OFFSET ?)',
    keptPairs,
  )
}
