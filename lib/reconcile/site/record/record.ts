import type { Failure } from '../../../errors.ts'
import type { Approval } from '../../../journal/decisions/approvals.ts'
import { optional } from '../../../object.ts'
import { failedDeploy, isAttempt, isTakenAway, removedDigests } from '../../../plan/change/carried-out.ts'
import { type Change, isAsked, isPutBack, keyOf, type Plan } from '../../../plan/change/change.ts'
import { madeBy, specificationOf } from '../../../plan/change/made.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'
import type { BegunJob } from '../../../plan/compare/past.ts'
import { stepsOf } from '../../../plan/step/step.ts'
import { wantedFrom } from '../../../state/application/desired.ts'
import { volumeMark } from '../../../state/application/volume.ts'
import type { StepEvent } from '../../../state/pass/step-event.ts'
import { recordFindings } from '../../fleet/findings/record-findings.ts'
import type { Wanted } from '../../repository/desired.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import type { PassRequest } from '../pass-request.ts'
import type { Decision } from '../plan/compare-and-plan.ts'
import { approvalEndMs, itemsOf, type Verdict, waitingItems } from '../plan/judge.ts'
import { leftOversIn } from '../result/left-overs.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'
import { leftAsWas } from '../upgrade/left-as-was.ts'
import type { Upgrades } from '../upgrade/upgrades.ts'
import { marksBrought, routesBrought, versionBrought } from './brought.ts'
import { endPass, knownRevision } from './end-pass.ts'
import { learn, type SetApplied, takeBackBegun } from './learn.ts'
import { logStep } from './log-step.ts'
import { noteRunning, recordVersions, versionsRunning } from './versions.ts'

/** Records one pass while it runs (G25). */
export type PassRecorder = {
  /**
   * From now on the pass is recorded while it runs. It is on record as soon as it has something to tell, so that one
   * that only looks is written once.
   */
  begin(): void
  /**
   * Records all of this at once, or nothing. A pass that could not be put on record is not referred to, and is recorded
   * anew at its end.
   */
  atOnce<T>(work: () => T): T
  plan(plan: Plan): void
  /** Records what was found as wanted, and what is neither wanted nor exists any more. */
  learn(decision: Decision): void
  approvals(plan: Plan, verdict: Verdict, request: PassRequest): void
  /**
   * Records what is begun: the specifications of new instances, so that a later plan can show field by field what
   * differs, and the targets, so that after a crash nothing counts as having passed its gate. Returns what is written on
   * whatever these changes make.
   */
  begun(changes: readonly Change[]): string
  event(event: StepEvent): void
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
  /** The number of the pass; undefined: it is not on record. */
  passId(): number | undefined
  /** `trouble`: what failed after that, and undid nothing. */
  applied(change: Change, trouble?: Failure): void
  end(result: PassResult): PassResult
}

/** Opens the record of a pass over a site. A pass that only plans leaves what it learned, and no pass. */
export function openRecorder(
  { world, engine, memory }: SiteWorld,
  wanted: Wanted,
  request: PassRequest,
): PassRecorder {
  const { journal, log, nowMs, config } = world
  const { desired, newest, unreadable } = wanted
  const { environment: name } = desired
  const { site } = engine
  const { trigger, until, beside, isObserver = false } = request
  /** If the newest commit cannot be read, the pass is about it, although nothing of it is done. */
  const revision = unreadable ? knownRevision(world, newest) : desired.revision
  const placeOf = ({ application, service }: Change) => ({ environment: name, site, application, service })
  let id: number | undefined
  let startedMs: number | undefined
  /** What the site is compared with: of some applications, a version on the way to the wanted one. */
  let compared = desired
  let next: Upgrades['next'] = new Map()
  let found: DiffResult | undefined
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
  /** What is applied was deployed, so both are recorded together. */
  const setApplied: SetApplied = (entry, deploys) =>
    journal.atOnce(() => {
      journal.setApplied(entry)
      for (const digest of deploys) journal.setDeployed({ ...entry, digest })
    })
  const startOf = () => ({ environment: name, site, trigger, revision, atMs: startedMs ?? nowMs() })
  const passId = () => {
    id ??= journal.beginPass(startOf())
    return id
  }
  const noteVolumes = (change: Change) => {
    const made = stepsOf(change.prepare, 'create-volume').map(({ volume }) => [
      volume.name,
      volumeMark(volume),
    ])
    if (made.length > 0) journal.noteVolumes(placeOf(change), Object.fromEntries(made))
  }
  const quarantine = (change: Change, { code, message }: Failure) => {
    const { target, applicationRelease: release = '' } = change
    const where = placeOf(change)
    const goal = next.get(change.application)?.forced
    const version = versionBrought(compared, change)?.version
    for (const one of [version, goal]) if (one !== undefined) journal.endForced({ ...where, version: one })
    if (version !== undefined) journal.releaseFailed({ ...where, version })
    const told = { commit: wantedFrom(compared, change), ...optional('mark', marks.get(change.application)) }
    journal.quarantine({ ...where, target, release, ...told, reason: { code, message }, atMs: nowMs() })
  }
  const setTrouble = (change: Change, { code, message }: Failure) =>
    journal.setTrouble({ ...placeOf(change), release: change.release, code, message, atMs: nowMs() })
  return {
    begin() {
      startedMs = nowMs()
    },
    atOnce(work) {
      const before = id
      try {
        return journal.atOnce(work)
      } catch (error) {
        id = before
        throw error
      }
    },
    plan(plan) {
      if (startedMs !== undefined && plan.changes.length > 0) journal.setPlan(passId(), { ...plan, revision })
      memory.convergence.planned(plan.id)
    },
    learn({ plan, diff, past, desired: here, upgrades, made }) {
      compared = here
      found = diff
      next = upgrades?.next ?? next
      const learns = startedMs !== undefined && beside === undefined
      if (learns && diff !== undefined && past !== undefined)
        learn(
          journal,
          setApplied,
          {
            ...{ desired: here, diff, past, failed: upgrades?.failed, made },
            leftOvers: leftOversIn(plan.changes, here),
          },
          nowMs(),
        )
    },
    approvals(plan, { skipped, wait }, { answer }) {
      // What waits is for the other pass to say.
      if (beside !== undefined) return
      const atMs = nowMs()
      const { commit } = plan.revision
      const approve = (who: Pick<Approval, 'who' | 'via' | 'message'>, changes: readonly Change[]) => {
        if (changes.length === 0) return
        const expiresAtMs = approvalEndMs(waitingItems(changes), atMs, config.approvalExpiresMs)
        const parts = [{ site, planId: plan.id, commit, items: itemsOf(changes) }]
        journal.approve({ environment: name, planId: plan.id, commit, ...who, parts, atMs, expiresAtMs })
      }
      approve({ who: 'manifest', via: 'skipConfirmation' }, skipped)
      if (answer !== undefined) approve(answer, plan.changes.filter(isAsked))
      if (wait.length === 0) journal.clearWaiting(name, site)
      else if (startedMs !== undefined)
        journal.setWaiting({ environment: name, site, planId: plan.id, passId: passId(), sinceMs: atMs })
    },
    begun(changes) {
      before = journal.attempts(name, site)
      const there = journal.applied(name, site)
      begun = new Set(changes.filter(change => isAttempt(change) || isTakenAway(change, there)))
      marks = marksBrought(journal, compared, begun)
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
        const differences = new Map(found?.differences.map(one => [keyOf(one), one]))
        if (changes.length > 0) journal.beginIn(passId(), name, changes, nowMs())
        for (const change of begun) {
          const { target, release, deploys = [] } = change
          const of = optional('of', versionBrought(compared, change))
          const job = optional('job', differences.get(keyOf(change))?.reached)
          journal.beginAttempt({ ...placeOf(change), target, release, ...of, ...job, atMs: nowMs() })
          for (const digest of deploys) journal.unbarVersion({ ...placeOf(change), digest })
        }
        return journal.countMade(name, site)
      })
    },
    event(event) {
      if (startedMs === undefined) return
      journal.recordStep(passId(), event)
      logStep(log, event, { pass: id, environment: name, site })
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
    passId: () => id,
    undone(change) {
      if (!begun.has(change)) return
      journal.insist(() => takeBackBegun(journal, name, placeOf(change), change))
    },
    applied(change, trouble) {
      const { target, release } = change
      const where = placeOf(change)
      if (isPutBack(change))
        return journal.insist(() => {
          noteVolumes(change)
          takeBackBegun(journal, name, where, before.get(keyOf(change)))
        })
      // An image that was left alone because somebody uses it is not removed again.
      if (change.cause === 'unneeded')
        return journal.insist(() => journal.forgetImages(where, removedDigests(change)))
      const routes = routesBrought(compared, change)
      const version = optional('version', versionBrought(compared, change)?.version)
      const entry = { ...where, target, ...version, commit: wantedFrom(compared, change), atMs: nowMs() }
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
          const others = found === undefined ? [] : leftAsWas(found, change.application, done)
          for (const { service, target } of others)
            setApplied({ ...where, service, target, ...version, commit, atMs }, [])
        }
        noteVolumes(change)
        const gone = before.get(keyOf(change))
        takeBackBegun(journal, name, where, gone?.release === release ? undefined : gone)
        if (trouble !== undefined) setTrouble(change, trouble)
      })
    },
    end(result) {
      if (until === 'plan' || (isObserver && startedMs === undefined)) return result
      // How all of the site is, the other pass records. What only looked beside it is no pass.
      if (beside !== undefined) return id === undefined ? result : endPass(world, id, result)
      recordVersions(world, memory, versionsRunning(result, site))
      noteRunning(world, memory, result, compared, site)
      const state = stateAfter(keptOf(journal, name, site), result, newest, nowMs())
      const keep = () => {
        if (state !== undefined) journal.keepState(name, site, state, state.isSeen ? nowMs() : undefined)
      }
      const ended = endPass(world, id ?? startOf(), result, keep)
      recordFindings(world, ended)
      const { outcome, plan } = result
      if (outcome === 'applied' && plan !== undefined) memory.convergence.setApplied(plan.id)
      return ended
    },
  }
}
