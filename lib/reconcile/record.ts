import type { Failure } from '../errors.ts'
import { type Change, isPutBack, keyOf, type Plan } from '../plan/change.ts'
import { deploysOf } from '../plan/job.ts'
import type { Container } from '../state/container.ts'
import type { DesiredState } from '../state/desired.ts'
import { digestOf } from '../state/fingerprint.ts'
import { isJob } from '../state/job-container.ts'
import { membersOf } from '../state/members.ts'
import type { Route } from '../state/route.ts'
import type { StepEvent } from '../state/step-event.ts'
import { nameOf, type Version } from '../state/version.ts'
import { itemsOf, type Verdict } from './approval.ts'
import type { Decision } from './decide.ts'
import type { PassRequest } from './pass-request.ts'
import type { PassResult } from './pass-result.ts'
import { versionsRunning } from './versions.ts'
import type { World } from './world.ts'

/** What one pass writes down as it goes (G25). */
export type PassRecord = {
  /** From here on it is a pass of the journal; without this nothing of it is kept but what was learned. */
  begin(desired: DesiredState): void
  plan(plan: Plan): void
  /** Services found as wanted: from now on their loss is drift. What is neither wanted nor there is forgotten. */
  inSync(desired: DesiredState, decision: Decision): void
  approvals(plan: Plan, verdict: Verdict, request: PassRequest): void
  /**
   * What is begun: what new instances are made from, so that a later plan can say field by field what differs, and to
   * which targets, so that a crash does not make something of it that passed its gate.
   */
  begun(changes: readonly Change[]): void
  event(event: StepEvent): void
  failed(change: Change, failure: Failure, stopped: boolean): void
  applied(change: Change): void
  end(result: PassResult): PassResult
}

/** Opens the record of a pass; a pass that only plans leaves no pass behind, but what it learned. */
export function openRecord(
  { journal, log, nowMs, environment, memory, config, engines }: World,
  request: PassRequest,
): PassRecord {
  const { trigger, until } = request
  let id: number | undefined
  let about: DesiredState | undefined
  /** What is applied was deployed: one is never on record without the other. */
  const setApplied = (
    entry: Omit<Parameters<typeof journal.setApplied>[0], 'atMs'>,
    deploys: readonly string[],
  ) =>
    journal.atOnce(() => {
      journal.setApplied({ ...entry, atMs: nowMs() })
      for (const digest of deploys) journal.setDeployed({ ...entry, digest })
    })
  const onRecord = memory.versions ?? new Map<string, string>()
  memory.versions = onRecord
  const setVersion = (version: Version) => {
    const place = `${version.site}/${version.application}`
    const images = version.images.map(nameOf).join(' ')
    if (onRecord.get(place) !== images) journal.setVersion(version)
    onRecord.set(place, images)
  }
  return {
    begin(desired) {
      about = desired
      id = journal.beginPass({ environment: desired.environment, trigger, atMs: nowMs() })
      journal.setRevision(id, desired.revision)
    },
    plan(plan) {
      if (id !== undefined && plan.changes.length > 0) journal.setPlan(id, plan)
      if (plan.id !== memory.lastApplied?.planId) delete memory.lastApplied
    },
    inSync(desired, decision) {
      const { environment: name, revision } = desired
      const applied = journal.applied(name)
      for (const { site, inSync } of decision.diffs) {
        for (const { application, service, target, matched, isRollout, jobs } of inSync) {
          if (applied.get(keyOf({ site, application, service }))?.target === target) continue
          const where = { environment: name, site, application, service }
          setApplied({ ...where, target, commit: revision.commit }, isRollout ? deploysOf(jobs) : [])
          for (const { wanted } of matched)
            journal.rememberInstance(wanted.fingerprint, { containers: membersOf(wanted.instance) })
        }
      }
      for (const gone of vanished(applied, desired, decision))
        journal.forgetApplied({ environment: name, ...gone })
    },
    approvals(plan, { skipped, wait }, { answer }) {
      const atMs = nowMs()
      const common = {
        environment: plan.environment,
        planId: plan.id,
        commit: plan.revision.commit,
        atMs,
        expiresAtMs: atMs + config.approvalExpiresMs,
      }
      if (skipped.length > 0) {
        journal.approve({ ...common, who: 'manifest', via: 'skipConfirmation', items: itemsOf(skipped) })
      }
      if (answer !== undefined) {
        const due = plan.changes.filter(({ held }) => held === undefined)
        if (due.length > 0) journal.approve({ ...common, ...answer, items: itemsOf(due) })
      }
      if (wait.length === 0) journal.clearWaiting(plan.environment)
      else if (id !== undefined)
        journal.wait({ environment: plan.environment, planId: plan.id, passId: id, sinceMs: atMs })
    },
    begun(changes) {
      const made = new Map<string, Container[]>()
      for (const step of changes.flatMap(({ stages }) => stages.flat())) {
        if (step.do !== 'create-container' || isJob(step.placement)) continue
        const containers = made.get(step.placement.fingerprint) ?? []
        if (!containers.some(({ name }) => name === step.spec.name)) containers.push(step.spec)
        made.set(step.placement.fingerprint, containers)
      }
      for (const [fingerprint, containers] of made) journal.rememberInstance(fingerprint, { containers })
      if (about === undefined) return
      const { environment: name } = about
      journal.atOnce(() => {
        for (const change of changes.filter(one => one.target !== 'absent' && !isPutBack(one))) {
          const { site, application, service, target, deploys = [] } = change
          journal.setAttempt({ environment: name, site, application, service, target })
          for (const digest of deploys) journal.unbar({ environment: name, site, application, digest })
        }
      })
    },
    event(event) {
      if (id === undefined) return
      journal.append(id, event)
      const { site, application, service, step, stage, phase, durationMs, error: reason, note } = event
      if (phase === 'started') return
      if (note !== undefined) return log.info(`${step}: ${note}`, { pass: id, site, application, service })
      const fields = {
        pass: id,
        environment: about?.environment,
        site,
        application,
        service,
        stage,
        durationMs,
      }
      if (reason === undefined) log.debug(`${step} ${phase}`, fields)
      else log.warn(`${step} ${phase}`, { ...fields, code: reason.code, reason: reason.message })
    },
    failed(change, failure, stopped) {
      // What may go away by itself is tried again, unless each try would take down what serves (G5).
      if (about === undefined || (failure.retry !== 'never' && !stopped)) return
      const { site, application, service, target } = change
      const { code, message } = failure
      const { environment: name, revision } = about
      const digest = failedDeploy(change, failure)
      // One without the other would leave what failed where it is, or let it be deployed again unasked (P6).
      journal.atOnce(() => {
        if (digest !== undefined)
          journal.bar({ environment: name, site, application, digest, message, atMs: nowMs() })
        journal.quarantine({
          environment: name,
          site,
          application,
          service,
          target,
          commit: revision.commit,
          reason: { code, message },
          atMs: nowMs(),
        })
      })
    },
    applied(change) {
      if (about === undefined || isPutBack(change)) return
      const { site, application, service, target } = change
      const where = { environment: about.environment, site, application, service }
      // One that was left alone because somebody uses it is not asked for again.
      if (change.cause === 'unneeded') return journal.forgetImages(where, removedDigests(change))
      const routes = routesOf(about, change)
      if (routes !== undefined) journal.setRoutes(about.environment, routes)
      if (target === 'absent') journal.forgetApplied(where)
      else setApplied({ ...where, target, commit: about.revision.commit }, change.deploys ?? [])
    },
    end(result) {
      if (until === 'plan') return result
      const sites = engines.map(({ site }) => site)
      for (const version of versionsRunning(result, sites)) setVersion(version)
      const passId =
        id ??
        journal.beginPass({ environment: about?.environment ?? environment ?? '', trigger, atMs: nowMs() })
      const { outcome, sync, errors } = result
      const [error] = errors
      const kept = journal.endPass(passId, {
        outcome,
        sync,
        atMs: nowMs(),
        ...(error === undefined ? {} : { error }),
      })
      if (outcome === 'applied' && result.plan !== undefined) memory.lastApplied = { planId: result.plan.id }
      return { ...result, passId: kept }
    },
  }
}

/** What the ingress has loaded once this change is applied, now or before it was interrupted. */
function routesOf(
  { applications }: DesiredState,
  { application, service, target }: Change,
): readonly Route[] | undefined {
  if (target === 'absent') return undefined
  const own = applications.find(({ name }) => name === application)
  return own?.services.find(({ name }) => name === service)?.proxy?.routes
}

function removedDigests({ stages }: Change): readonly string[] {
  return stages.flat().flatMap(step => (step.do === 'remove-image' ? [step.digest] : []))
}

/** The digest of the version whose deploy failed, if that is what failed (P6). */
function failedDeploy({ stages }: Change, { code, resource }: Failure): string | undefined {
  if (code !== 'job-failed') return undefined
  for (const step of stages.flat())
    if (step.do === 'create-container' && step.container === resource && step.placement.role === 'deploy')
      return digestOf(step.spec.image.pin)
  return undefined
}

/**
 * Services that were applied once, and are neither declared nor there any more: a removal that was interrupted at its
 * very end. Remembered, they would come back as drift, unasked, when they are declared again.
 */
function vanished(
  applied: ReadonlyMap<string, unknown>,
  { blocked }: DesiredState,
  { diffs }: Decision,
): readonly { readonly site: string; readonly application: string; readonly service: string }[] {
  const unsure = blocked.map(({ application }) => application)
  return diffs.flatMap(({ site, inSync, differences, undecided }) => {
    const known = new Set([...inSync, ...differences].map(keyOf))
    const left = new Set([...unsure, ...undecided.map(({ application }) => application)])
    return [...applied.keys()].flatMap(key => {
      const [service = '', application = '', ...rest] = key.split('/').reverse()
      const gone = rest.reverse().join('/') === site && !known.has(key) && !left.has(application)
      return gone ? [{ site, application, service }] : []
    })
  })
}
