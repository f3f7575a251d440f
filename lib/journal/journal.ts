import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { ResolutionStore } from '../state/resolutions.ts'
import { type AppliedTargets, appliedIn } from './applied.ts'
import { type Approvals, approvalsIn } from './approvals.ts'
import { type Bar, barIn } from './barred.ts'
import { type Database, openDatabase } from './database.ts'
import { type Discards, discardsIn } from './discards.ts'
import { type History, historyIn } from './history.ts'
import { type Identity, identityIn } from './identity.ts'
import { type Instances, instancesIn } from './instances.ts'
import { type LastGood, lastGoodIn } from './last-good.ts'
import { migrate, refuseNewer, schemaVersion } from './migrate.ts'
import { type Passes, passesIn } from './passes.ts'
import { type Quarantine, quarantineIn } from './quarantine.ts'
import { resolutionsIn } from './resolutions.ts'
import { defaultRetention, type Retention } from './retention.ts'
import { type Routes, routesIn } from './routes.ts'
import { type Suspensions, suspensionsIn } from './suspensions.ts'
import { type Versions, versionsIn } from './versions.ts'
import { type Waiting, waitingIn } from './waiting.ts'
import { interruptAbandoned } from './writer.ts'

/**
 * History and decisions, durable in one SQLite file; never what runs (G25).
 * - What a call wrote is there after a crash of the process, when the call returned.
 * - No clock inside: callers say what time it is.
 * - Only what callers hand over is stored; no secrets may be among it (G16).
 * - Every call may fail with `journal-corrupt`, `journal-unusable`, `journal-busy` or `disk-full`.
 */
export type Journal = Identity &
  Passes &
  History &
  Approvals &
  Discards &
  Waiting &
  AppliedTargets &
  Quarantine &
  Bar &
  Suspensions &
  LastGood &
  Versions &
  Routes &
  Instances & {
    readonly resolutions: ResolutionStore
    /** After a crash all of what is written in it is there, or nothing of it. */
    atOnce(write: () => void): void
    close(): void
  }

export type JournalOptions = {
  /**
   * Looks without touching anything, beside a daemon that writes. Nothing there yet: an empty journal. What is only
   * remembered to save work (instances, resolutions) is not kept then; what would be history or a decision fails.
   */
  readonly readOnly?: boolean
  /** A year and 100,000 passes where nothing is said. */
  readonly retention?: Retention
}

/**
 * Opens the journal in that file, makes it or brings it up to date. Passes that a dead process left without an end are
 * `interrupted` from then on. Fails with `journal-newer` when a later tallyman made it. `:memory:` keeps nothing.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  const { readOnly = false, retention = defaultRetention } = options
  const database = readOnly ? openToRead(file) : openToWrite(file)
  const writer = { id: randomUUID(), pid: process.pid }
  if (!readOnly) interruptAbandoned(database, writer)
  return {
    ...identityIn(database),
    ...passesIn(database, writer, retention),
    ...historyIn(database, writer),
    ...approvalsIn(database),
    ...discardsIn(database),
    ...waitingIn(database),
    ...appliedIn(database),
    ...quarantineIn(database),
    ...barIn(database),
    ...suspensionsIn(database),
    ...lastGoodIn(database),
    ...versionsIn(database),
    ...routesIn(database),
    ...instancesIn(database, { readOnly }),
    resolutions: resolutionsIn(database, { readOnly }),
    atOnce: write => database.transaction(write),
    close: () => database.close(),
  }
}

function openToWrite(file: string): Database {
  const database = openDatabase(file, { readOnly: false })
  try {
    migrate(file, database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function openToRead(file: string): Database {
  if (!existsSync(file)) return openToWrite(':memory:')
  const database = openDatabase(file, { readOnly: true })
  try {
    const version = schemaVersion(database)
    refuseNewer(file, version)
    if (version > 0) return database
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return openToWrite(':memory:')
}
