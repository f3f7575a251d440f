import type { Failure } from '../../../errors.ts'
import type { Journal } from '../../../journal/journal.ts'
import { optional } from '../../../object.ts'
import { failedDeploy, isAttempt, isTakenAway, removedDigests } from '../../../plan/change/carried-out.ts'
import { type Change, isPutBack, keyOf } from '../../../plan/change/change.ts'
import { madeBy, specificationOf } from '../../../plan/change/made-instances.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'
import type { BegunJob } from '../../../plan/compare/past.ts'
import { stepsOf } from '../../../plan/step/step.ts'
import { type DesiredState, wantedFrom } from '../../../state/application/desired.ts'
import { volumeMark } from '../../../state/application/volume.ts'
import type { PassRequest } from '../pass-request.ts'
import type { SiteWorld } from '../site.ts'
import { leftAsWas } from '../upgrade/left-as-was.ts'
import type { Upgrades } from '../upgrade/upgrades.ts'
import { marksBrought, routesBrought, versionBrought } from './brought.ts'
import { type SetApplied, takeBackBegun } from './learn.ts'
import { enterQuarantine } from './quarantine.ts'

/** What a site was compared with when what is carried out was planned. */
export type ComparedWith = {
  /** Of some applications, a version on the way to the wanted one. */
  readonly desired: DesiredState
  readonly next: Upgrades['next']
  readonly diff?: DiffResult
}

/** Records what becomes of the changes of one pass (G25). */
export type ChangesRecorder = {
  /**
   * Records what is begun: the specifications of new instances, so that a later plan can show field by field what
   * differs, and the targets, so that after a crash nothing counts as having passed its gate. Returns what is written on
   * whatever these changes make.
   */
  begun(changes: readonly Change[]): string
  /** Records that a job of a change begins. `noReturn`: the state before is not restored from now on (H29). */
  jobBegun(change: Change, job: BegunJob, noReturn: boolean): void
  /** Records that the job which began last is over, and the trouble that it made, if it did (H30). */
  jobOver(change: Change, trouble?: Failure): void
  /**
   * Records that nothing of a change was touched, so that it has not begun, and nor has what approves it. It stays
   * approved, and waits for a change or a retry if trying again cannot help.
   */
  untouched(change: Change, failure?: Failure): void
  failed(change: Change, failure: Failure, stopped: boolean): void
  /** Records that the state before a change is restored. */
  undone(change: Change): void
  /** `trouble`: what failed after that, and undid nothing. */
  applied(change: Change, trouble?: Failure): void
}

/** What the changes of a pass are recorded with. */
export type ChangesRecorderInput = Pick<SiteWorld, 'world' | 'engine'> &
  Pick<PassRequest, 'beside'> & {
    readonly environment: string
    readonly compared: () => ComparedWith
    /** Puts the pass on record, if it is not. */
    readonly passId: () => number
  }

/** Opens the record of the changes of one pass. */
export function openChangesRecorder({
  world,
  engine: { site },
  beside,
  environment: name,
  compared,
  passId,
}: ChangesRecorderInput): ChangesRecorder {
  const { journal, nowMs } = world
  const setApplied = recordsApplied(journal)
  const placeOf = ({ application, service }: Change) => ({ environment: name, site, application, service })
  /** What was on record of the services before something began. */
  let before: ReturnType<typeof journal.attempts> = new Map()
  /** The changes that have begun and need an end. */
  let begun: ReadonlySet<Change> = new Set()
  /** As what the versions were kept then that they bring, by application. */
  let marks: ReadonlyMap<string, string> = new Map()
  /** What was approved of them, and had not begun before, by service. */
  let taken: ReadonlyMap<string, ReturnType<typeof journal.beginApproved>> = new Map()
  /** The services that were brought to what is wanted since then. */
  const done = new Set<string>()
  const noteVolumes = (change: Change) => {
    const made = stepsOf(change.prepare, 'create-volume').map(({ volume }) => [
      volume.name,
      volumeMark(volume),
    ])
    if (made.length > 0) journal.noteVolumes(placeOf(change), Object.fromEntries(made))
  }
  const quarantine = (change: Change, { code, message }: Failure) => {
    const { target, applicationRelease: release = '' } = change
    const { desired, next } = compared()
    const version = versionBrought(desired, change)?.version
    const goal = next.get(change.application)?.forced
    const told = { commit: wantedFrom(desired, change), ...optional('mark', marks.get(change.application)) }
    const entry = { ...placeOf(change), target, release, ...told, reason: { code, message }, atMs: nowMs() }
    enterQuarantine(journal, entry, { version, goal })
  }
  const setTrouble = (change: Change, { code, message }: Failure) =>
    journal.setTrouble({ ...placeOf(change), release: change.release, code, message, atMs: nowMs() })
  return {
    begun(changes) {
      before = journal.attempts(name, site)
      const there = journal.applied(name, site)
      begun = new Set(changes.filter(change => isAttempt(change) || isTakenAway(change, there)))
      marks = marksBrought(journal, compared().desired, begun)
      const made = new Map(changes.flatMap(madeBy).map(one => [one.fingerprint, one]))
      for (const [fingerprint, one] of made)
        journal.rememberInstance(fingerprint, specificationOf(one.members))
      world.memory.fleet.seen.setChanging(
        site,
        changes.map(({ application }) => application),
        beside && nowMs(),
      )
      return journal.atOnce(() => {
        taken = Map.groupBy(journal.beginApproved(name, changes), keyOf)
        const differences = new Map(compared().diff?.differences.map(one => [keyOf(one), one]))
        if (changes.length > 0) journal.beginIn(passId(), name, changes, nowMs())
        for (const change of begun) {
          const { target, release, deploys = [] } = change
          const of = optional('of', versionBrought(compared().desired, change))
          const job = optional('job', differences.get(keyOf(change))?.reached)
          journal.beginAttempt({ ...placeOf(change), target, release, ...of, ...job, atMs: nowMs() })
          for (const digest of deploys) journal.unbarVersion({ ...placeOf(change), digest })
        }
        return journal.countMade(name, site)
      })
    },
    jobBegun(change, job, noReturn) {
      journal.insist(() => journal.beginJob(placeOf(change), job, noReturn))
    },
    jobOver(change, trouble) {
      journal.insist(() => {
        journal.endJob(placeOf(change))
        if (trouble !== undefined) setTrouble(change, trouble)
      })
    },
    failed(change, failure, stopped) {
      // A running service is repaired again and again, whatever the result is.
      if (!isAttempt(change)) return
      const { code, message } = failure
      const where = placeOf(change)
      // A failure that may go away is tried again, unless each attempt would stop what serves (G5).
      if (failure.retry !== 'never' && !stopped) return journal.insist(() => journal.attemptFailed(where))
      const digest = failedDeploy(change, failure)
      // These are recorded together. Otherwise a failed version would stay in place, or be deployed again unasked (P6).
      journal.insist(() => {
        if (code === 'not-restored') journal.attemptLost(where)
        else journal.attemptFailed(where)
        if (digest !== undefined) journal.barVersion({ ...where, digest, message, atMs: nowMs() })
        quarantine(change, failure)
      })
    },
    untouched(change, failure) {
      const items = taken.get(keyOf(change)) ?? []
      if (!begun.has(change) && items.length === 0) return
      journal.insist(() => {
        journal.takeBackBegun(items)
        if (begun.has(change)) journal.takeBackAttempt(placeOf(change), before.get(keyOf(change)))
        if (isAttempt(change) && failure?.retry === 'never') quarantine(change, failure)
      })
    },
    undone(change) {
      if (!begun.has(change)) return
      journal.insist(() => takeBackBegun(journal, name, placeOf(change), change))
    },
    applied(change, trouble) {
      const { target, release } = change
      const { desired, diff } = compared()
      const where = placeOf(change)
      if (isPutBack(change))
        return journal.insist(() => {
          noteVolumes(change)
          takeBackBegun(journal, name, where, before.get(keyOf(change)))
        })
      // An image that was left alone because somebody uses it is not removed again.
      if (change.cause === 'unneeded')
        return journal.insist(() => journal.forgetImages(where, removedDigests(change)))
      const routes = routesBrought(desired, change)
      const version = optional('version', versionBrought(desired, change)?.version)
      const entry = { ...where, target, ...version, commit: wantedFrom(desired, change), atMs: nowMs() }
      journal.insist(() => {
        journal.useApproval(name, change)
        if (routes !== undefined) journal.setRoutes(name, site, routes)
        if (target === 'absent') return journal.forgetApplied(where)
        // A repair restores what was applied, which may come from an earlier commit than this one.
        if (isAttempt(change)) {
          setApplied(entry, change.deploys ?? [])
          if (entry.version !== undefined) journal.endForced({ ...where, version: entry.version })
          done.add(keyOf(change))
          const { commit, atMs } = entry
          const others = diff === undefined ? [] : leftAsWas(diff, change.application, done)
          for (const { service, target } of others)
            setApplied({ ...where, service, target, ...version, commit, atMs }, [])
        }
        noteVolumes(change)
        const gone = before.get(keyOf(change))
        takeBackBegun(journal, name, where, gone?.release === release ? undefined : gone)
        if (trouble !== undefined) setTrouble(change, trouble)
      })
    },
  }
}

/** Returns what records that a service has what was wanted: what is applied was deployed, so both are recorded together. */
export function recordsApplied(journal: Journal): SetApplied {
  return (entry, deploys) =>
    journal.atOnce(() => {
      journal.setApplied(entry)
      for (const digest of deploys) journal.setDeployed({ ...entry, digest })
    })
}
