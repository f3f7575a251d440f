import { keepUsed } from '../../memo/keep-used.ts'
import type { Database } from '../store/database.ts'
import { text } from '../store/row.ts'

/**
 * What instances were made from, by fingerprint. With it a plan shows field by field what differs from what runs. The
 * 2,000 that were remembered last are kept. Older ones are shown by their labels alone.
 */
export type Instances = {
  rememberInstance(fingerprint: string, specification: unknown): void
  /** Returns the specification as it was remembered, shared between callers; undefined if it is no longer known. */
  instance(fingerprint: string): unknown
}

const kept = 2_000
/** A specification among this many of the latest keeps its place, so that remembering it again writes nothing. */
const recent = 500
/** What many sites have alike is read once for all of them. */
const usedLimits = { most: 100, unusedMs: 60_000 }

/** Keeps the specifications of instances in a database. */
export function instancesIn(database: Database, { readOnly }: { readonly readOnly: boolean }): Instances {
  const used = keepUsed<string, unknown>(usedLimits)
  return {
    rememberInstance: (fingerprint, specification) => {
      if (readOnly) return
      database.transaction(() => {
        const added = database.run(
          `INSERT INTO instance (id, fingerprint, body) VALUES ((SELECT ifnull(max(id), 0) + 1 FROM instance), ?, ?)
             ON CONFLICT (fingerprint) DO UPDATE SET id = excluded.id WHERE id < excluded.id - ${recent}`,
          fingerprint,
          JSON.stringify(specification),
        )
        if (added > 0) {
          database.run(
            `DELETE FROM instance WHERE id <= (SELECT id FROM instance ORDER BY id DESC LIMIT 1 OFFSET ${kept})`,
          )
        }
      })
    },
    instance: fingerprint => {
      used.age()
      const known = used.get(fingerprint)
      if (known !== undefined) return known
      const row = database.get('SELECT body FROM instance WHERE fingerprint = ?', fingerprint)
      if (row === undefined) return undefined
      const specification: unknown = JSON.parse(text(row, 'body'))
      used.set(fingerprint, specification)
      return specification
    },
  }
}
