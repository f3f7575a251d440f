import type { Approval } from '../../../journal/decisions/approvals.ts'
import { optional } from '../../../object.ts'
import { type Change, isAsked, type Plan } from '../../../plan/change/change.ts'
import type { StepEvent } from '../../../state/pass/step-event.ts'
import { recordFindings } from '../../fleet/findings/record-findings.ts'
import type { Wanted } from '../../repository/desired.ts'
import { keptOf, stateAfter } from '../../status/last-state.ts'
import { approvalEndMs } from '../decision/approval-end.ts'
import type { Decision } from '../decision/compare-and-plan.ts'
import { itemsOf, type Verdict, waitingItems } from '../decision/needs-approval.ts'
import type { PassRequest } from '../pass-request.ts'
import { leftOversIn } from '../result/left-overs.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteWorld } from '../site.ts'
import { type ChangesRecorder, type ComparedWith, openChangesRecorder, recordsApplied } from './changes.ts'
import { endPass, knownRevision } from './end-pass.ts'
import { learn } from './learn.ts'
import { logStep } from './log-step.ts'
import { noteRunning, recordVersions, versionsRunning } from './versions.ts'

/** Records one pass while it runs (G25). */
export type PassRecorder = ChangesRecorder & {
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
  event(event: StepEvent): void
  /** The number of the pass; undefined: it is not on record. */
  passId(): number | undefined
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
  let id: number | undefined
  let startedMs: number | undefined
  let compared: ComparedWith = { desired, next: new Map() }
  const startOf = () => ({ environment: name, site, trigger, revision, atMs: startedMs ?? nowMs() })
  const passId = () => {
    id ??= journal.beginPass(startOf())
    return id
  }
  return {
    ...openChangesRecorder({
      ...{ world, engine, environment: name, passId, compared: () => compared },
      ...optional('beside', beside),
    }),
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
      compared = { desired: here, next: upgrades?.next ?? compared.next, ...optional('diff', diff) }
      const learns = startedMs !== undefined && beside === undefined
      if (learns && diff !== undefined && past !== undefined)
        learn(
          journal,
          recordsApplied(journal),
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
    event(event) {
      if (startedMs === undefined) return
      journal.recordStep(passId(), event)
      logStep(log, event, { pass: id, environment: name, site })
    },
    passId: () => id,
    end(result) {
      if (until === 'plan' || (isObserver && startedMs === undefined)) return result
      // How all of the site is, the other pass records. What only looked beside it is no pass.
      if (beside !== undefined) return id === undefined ? result : endPass(world, id, result)
      recordVersions(world, memory, versionsRunning(result, site))
      noteRunning(world, memory, result, compared.desired, site)
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
