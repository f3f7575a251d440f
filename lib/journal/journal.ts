import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { Failure, messageOf } from '../errors.ts'
import type { FileMark } from '../file/file-mark.ts'
import type { ResolutionStore } from '../state/image/resolutions.ts'
import { type Answers, answersIn } from './decisions/answers.ts'
import { type Approvals, approvalsIn } from './decisions/approvals.ts'
import { type Discards, discardsIn } from './decisions/discards.ts'
import { type Unbegun, unbegunIn } from './decisions/lapse-approvals.ts'
import { type Words, wordsIn } from './decisions/said-of-plans.ts'
import { type Suspensions, suspensionsIn } from './decisions/suspensions.ts'
import { type Waiting, waitingIn } from './decisions/waiting.ts'
import { type Environments, environmentsIn } from './environments/environments.ts'
import { type LastGood, lastGoodIn } from './environments/last-good.ts'
import { type LastStates, lastStatesIn } from './environments/last-states.ts'
import { type ReachedRegistries, reachedRegistriesIn } from './environments/reached-registries.ts'
import { type RenamedSites, renamedSitesIn } from './environments/renamed-sites.ts'
import { resolutionsIn } from './environments/resolutions.ts'
import { type Routes, routesIn } from './environments/routes.ts'
import { type ServedEngines, servedEnginesIn } from './environments/served-engines.ts'
import { type AbsentVersions, absentVersionsIn } from './fleet/absent-versions.ts'
import { entriesIn, type VersionEntries } from './fleet/entries.ts'
import { type FailedVersions, failedVersionsIn } from './fleet/failed-versions.ts'
import { type HeldVersions, heldVersionsIn } from './fleet/held-versions.ts'
import { type KeptVersions, keptVersionsIn } from './fleet/kept-versions.ts'
import { type Obstacles, obstaclesIn } from './fleet/obstacles.ts'
import { type Placements, placementsIn } from './fleet/placements.ts'
import { type QueueWords, queueWordsIn } from './fleet/queue-words.ts'
import { type Runs, runsIn } from './fleet/runs.ts'
import { type Beginnings, beginningsIn } from './history/begun-changes.ts'
import { type History, historyIn } from './history/history.ts'
import { type FollowedHistory, followedHistoryIn } from './history/log-follower.ts'
import { type Passes, passesIn } from './history/passes.ts'
import { defaultRetention, type Retention } from './history/retention.ts'
import { type Steps, stepsIn } from './history/steps.ts'
import { type Versions, versionsIn } from './history/versions.ts'
import { type AppliedTargets, appliedIn } from './services/applied.ts'
import { type Attempts, attemptsIn } from './services/attempts.ts'
import { type Bar, barIn } from './services/barred.ts'
import { type Instances, instancesIn } from './services/instances.ts'
import { type KnownSwarms, knownSwarmsIn } from './services/known-swarms.ts'
import { type Quarantine, quarantineIn } from './services/quarantine.ts'
import { type Records, recordsIn } from './services/records.ts'
import { type ServiceMarks, serviceMarksIn } from './services/service-marks.ts'
import { type Troubles, troublesIn } from './services/troubles.ts'
import { type Writers, writersIn } from './services/writers.ts'
import { type Database, openDatabase, placeInMemory } from './store/database.ts'
import { identityIn, type JournalIdentity } from './store/identity.ts'
import { insistent, type TellUnwritten } from './store/insistent.ts'
import { migrate, newestSchema, refuseForeign, schemaVersion } from './store/migrate.ts'
import { interruptAbandoned } from './store/process.ts'

/**
 * History and decisions in one durable SQLite file. It never records what runs (G25).
 * - What a call wrote survives a crash of the process once the call has returned.
 * - The journal has no clock: callers pass the time.
 * - It stores only what callers hand over, and they must hand over no secrets (G16).
 * - Every call may fail with `journal-corrupt`, `journal-unusable`, `journal-busy` or `disk-full`, and one that writes
 *   with `state-dir-gone`.
 */
export type Journal = JournalIdentity &
  Environments &
  Passes &
  History &
  FollowedHistory &
  Approvals &
  Beginnings &
  Discards &
  Answers &
  Waiting &
  AppliedTargets &
  Attempts &
  Troubles &
  ServiceMarks &
  KnownSwarms &
  Writers &
  Records &
  Quarantine &
  Bar &
  Suspensions &
  LastGood &
  LastStates &
  Words &
  Unbegun &
  Steps &
  Versions &
  Routes &
  ServedEngines &
  RenamedSites &
  Runs &
  FailedVersions &
  Placements &
  Obstacles &
  KeptVersions &
  VersionEntries &
  AbsentVersions &
  QueueWords &
  HeldVersions &
  Instances & {
    readonly resolutions: ResolutionStore
    readonly registries: ReachedRegistries
    /** The files that it writes to. */
    readonly files: readonly FileMark[]
    /** Returns the result of the work. After a crash, everything that it wrote is there, or nothing. */
    atOnce<T>(work: () => T): T
    /**
     * Records what was done already, like `atOnce`. If it cannot be written now, for example because the disk is full,
     * it is kept in memory and written before anything else. Until then every other write fails with the same reason.
     */
    insist(write: () => void): void
    /** Returns why something is kept in memory and not written yet; undefined if nothing is. */
    unwritten(): Failure | undefined
    /** Writes what is kept, if that is possible by now, and closes the file. */
    close(): void
  }

export type JournalOptions = {
  /**
   * Reads without changing anything, beside a daemon that writes. If there is no file yet, the journal is empty. What
   * is only remembered to save work (instances, resolutions, registries) is not kept then. Writing history or decisions fails.
   */
  readonly readOnly?: boolean
  /** Default: a year, and 100,000 passes over all sites. */
  readonly retention?: Retention
  /** Called when something that happened cannot be written, and when that changes. */
  readonly told?: TellUnwritten
}

/**
 * Opens the journal in that file, and creates it or brings it up to date. Passes that a dead process left without an
 * end are recorded as `interrupted`. Fails with `journal-newer` if a later version of Tallyman wrote it. `:memory:`
 * keeps nothing.
 */
export function openJournal(file: string, options: JournalOptions = {}): Journal {
  return journalIn(options.readOnly === true ? openToRead(file) : openToWrite(file), options)
}

/** Opens the journal in a database that has its tables. */
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
    ...followedHistoryIn(database, writer),
    ...approvalsIn(database),
    ...beginningsIn(database),
    ...discardsIn(database),
    ...answersIn(database),
    ...waitingIn(database),
    ...appliedIn(database),
    ...attemptsIn(database),
    ...troublesIn(database),
    ...serviceMarksIn(database),
    ...knownSwarmsIn(database),
    ...writersIn(database),
    ...recordsIn(database),
    ...quarantineIn(database),
    ...barIn(database),
    ...suspensionsIn(database),
    ...lastGoodIn(database),
    ...lastStatesIn(database),
    ...wordsIn(database),
    ...unbegunIn(database),
    ...stepsIn(database),
    ...versionsIn(database),
    ...routesIn(database),
    ...servedEnginesIn(database),
    ...renamedSitesIn(database),
    ...runsIn(database),
    ...failedVersionsIn(database),
    ...placementsIn(database),
    ...entriesIn(database),
    ...absentVersionsIn(database),
    ...queueWordsIn(database),
    ...obstaclesIn(database),
    ...keptVersionsIn(database),
    ...heldVersionsIn(database),
    ...instancesIn(database, { readOnly }),
    resolutions: resolutionsIn(database, { readOnly }),
    registries: reachedRegistriesIn(database, { readOnly }),
    files: database.files,
    atOnce: work => database.transaction(work),
    insist: write => database.insist('decision', write),
    unwritten: database.unwritten,
    close: database.close,
  }
}

/** Opens the database of a journal and brings its tables up to date. */
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
  if (!isThere(file)) return openToWrite(':memory:')
  const database = openDatabase(file, { readOnly: true })
  try {
    const version = schemaVersion(database)
    refuseForeign(file, database)
    if (version === newestSchema) return database
    const readable = version === 0 ? openToWrite(':memory:') : migratedCopy(file, database)
    database.close()
    return readable
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Copies what an earlier version wrote into memory, and brings the copy up to date. The file itself is left to the
 * process that writes to it.
 */
function migratedCopy(file: string, database: Database): Database {
  const place = placeInMemory()
  const copy = openDatabase(place, { readOnly: false })
  try {
    database.run('VACUUM INTO ?', place)
    migrate(file, copy)
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}

/** A file that may not be looked at does not count as missing. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    const reason = messageOf(cause)
    throw new Failure('journal-unusable', `${file}: ${reason}`, { cause })
  }
}
