import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../errors.ts'
import type { ResolutionStore } from '../state/resolutions.ts'
import { type AppliedTargets, appliedIn } from './applied.ts'
import { type Approvals, approvalsIn } from './approvals.ts'
import { type Attempts, attemptsIn } from './attempts.ts'
import { type Bar, barIn } from './barred.ts'
import { type Database, openDatabase } from './database.ts'
import { type Discards, discardsIn } from './discards.ts'
import { type Environments, environmentsIn } from './environments.ts'
import { type History, historyIn } from './history.ts'
import { type Identity, identityIn } from './identity.ts'
import { insistent, type Told } from './insistent.ts'
import { type Instances, instancesIn } from './instances.ts'
import { type LastGood, lastGoodIn } from './last-good.ts'
import { type LastStates, lastStatesIn } from './last-states.ts'
import { migrate, newestSchema, refuseForeign, schemaVersion } from './migrate.ts'
import { type Passes, passesIn } from './passes.ts'
import { type Quarantine, quarantineIn } from './quarantine.ts'
import { resolutionsIn } from './resolutions.ts'
import { defaultRetention, type Retention } from './retention.ts'
import { type Routes, routesIn } from './routes.ts'
import { type Steps, stepsIn } from './steps.ts'
import { type Suspensions, suspensionsIn } from './suspensions.ts'
import { type Troubles, troublesIn } from './troubles.ts'
import { type Versions, versionsIn } from './versions.ts'
import { type Waiting, waitingIn } from './waiting.ts'
import { type Words, wordsIn } from './words.ts'
import { interruptAbandoned } from './writer.ts'

/**
 * History and decisions, durable in one SQLite file; never what runs (G25).
 * - What a call wrote is there after a crash of the process, when the call returned.
 * - No clock inside: callers say what time it is.
 * - Only what callers hand over is stored; no secrets may be among it (G16).
 * - Every call may fail with `journal-corrupt`, `journal-unusable`, `journal-busy` or `disk-full`.
 */
export type Journal = Identity &
  Environments &
  Passes &
  History &
  Approvals &
  Discards &
  Waiting &
  AppliedTargets &
  Attempts &
  Troubles &
  Quarantine &
  Bar &
  Suspensions &
  LastGood &
  LastStates &
  Words &
  Steps &
  Versions &
  Routes &
  Instances & {
    readonly resolutions: ResolutionStore
    /** Gives what the work gives. After a crash all of what is written in it is there, or nothing of it. */
    atOnce<T>(work: () => T): T
    /**
     * As `atOnce`, for what was done already: what cannot be written now, for want of room or the like, is kept in
     * memory and written before anything else. Until then every other write fails with the reason.
     */
    insist(write: () => void): void
    /** Why something is kept in memory and not written yet; undefined when nothing is. */
    unwritten(): Failure | undefined
    /** Writes what is kept, if that is possible by now. */
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
  /** Told when what was insisted upon cannot be written, and what becomes of it. */
  readonly told?: Told
}

/**
 * Opens the journal in that file, makes it or brings it up to date. Passes that a dead process left without an end are
 * `interrupted` from then on. Fails with `journal-newer` when a later tallyman made it. `:memory:` keeps nothing.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  return journalIn(options.readOnly === true ? openToRead(file) : openToWrite(file), options)
}

/** The journal in a database that has its tables. */
export function journalIn(opened: Database, options: JournalOptions = {}): Journal {
  const { readOnly = false, retention = defaultRetention, told = () => undefined } = options
  const database = insistent(opened, told)
  const writer = { id: randomUUID(), pid: process.pid }
  if (!readOnly) interruptAbandoned(database, writer)
  return {
    ...identityIn(database),
    ...environmentsIn(database),
    ...passesIn(database, writer, retention),
    ...historyIn(database, writer),
    ...approvalsIn(database),
    ...discardsIn(database),
    ...waitingIn(database),
    ...appliedIn(database),
    ...attemptsIn(database),
    ...troublesIn(database),
    ...quarantineIn(database),
    ...barIn(database),
    ...suspensionsIn(database),
    ...lastGoodIn(database),
    ...lastStatesIn(database),
    ...wordsIn(database),
    ...stepsIn(database),
    ...versionsIn(database),
    ...routesIn(database),
    ...instancesIn(database, { readOnly }),
    resolutions: resolutionsIn(database, { readOnly }),
    atOnce: work => database.transaction(work),
    insist: write => database.insist('decision', write),
    unwritten: database.unwritten,
    close: database.close,
  }
}

/** Opens the database of a journal and brings its tables up to date. */
export function openToWrite(file: string): Database {
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
  if (!isThere(file)) return openToWrite(':memory:')
  const database = openDatabase(file, { readOnly: true })
  try {
    const version = schemaVersion(database)
    refuseForeign(file, database)
    if (version === newestSchema) return database
    const readable = version === 0 ? openToWrite(':memory:') : migratedCopy(database)
    database.close()
    return readable
  } catch (error) {
    database.close()
    throw error
  }
}

/** What an earlier version wrote, as this one reads it; the file itself is left to whoever writes to it. */
function migratedCopy(database: Database): Database {
  const directory = mkdtempSync(join(tmpdir(), 'tallyman-journal-'))
  try {
    const copy = join(directory, 'tallyman.sqlite')
    database.run('VACUUM INTO ?', copy)
    return openToWrite(copy)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** What may not be looked at is not taken for nothing. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('journal-unusable', `${file}: ${reason}`, { cause })
  }
}
