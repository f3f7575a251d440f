import { Failure } from '../errors.ts'
import { planJson } from '../plan/json.ts'
import { isRemoval, itemsOf } from '../reconcile/approval.ts'
import type { Controlled, ControlOptions } from './controlled.ts'
import { findEnvironment, nameOf } from './environments.ts'
import { drain, ingresses, undrain } from './ingress.ts'
import { metrics } from './metrics.ts'

type Arguments = Readonly<Record<string, unknown>>

/** One thing that can be asked of the daemon. */
export type Verb = {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** The answer: a text as it is, anything else as JSON. */
  readonly run: (options: ControlOptions, given: Arguments) => unknown
}

/**
 * Everything the control plane can do. Each `POST` changes an input and says "look again", nothing else; but for a
 * site's draining, which no plan is about, and which has to hold while none can be made.
 */
export const verbs: readonly Verb[] = [
  { method: 'GET', path: /^\/api\/v1\/environments$/, run: ({ running }) => running.map(environmentJson) },
  { method: 'GET', path: /^\/api\/v1\/environments\/(?<environment>[^/]+)\/plan$/, run: plan },
  { method: 'GET', path: /^\/api\/v1\/ingress$/, run: ingresses },
  { method: 'GET', path: /^\/metrics$/, run: metrics },
  { method: 'POST', path: /^\/api\/v1\/plans\/(?<id>[^/]+)\/approve$/, run: approve },
  { method: 'POST', path: /^\/api\/v1\/plans\/(?<id>[^/]+)\/discard$/, run: discard },
  { method: 'POST', path: /^\/api\/v1\/reconcile$/, run: reconcile },
  { method: 'POST', path: /^\/api\/v1\/suspend$/, run: suspend },
  { method: 'POST', path: /^\/api\/v1\/resume$/, run: resume },
  { method: 'POST', path: /^\/api\/v1\/retry$/, run: retry },
  { method: 'POST', path: /^\/api\/v1\/drain$/, run: drain },
  { method: 'POST', path: /^\/api\/v1\/undrain$/, run: undrain },
]

function environmentJson(controlled: Controlled): object {
  const { world, loop } = controlled
  const { running, last, lastEndedMs, nextMs } = loop.state()
  const environment = nameOf(controlled)
  const waiting = world.journal.waiting(environment)
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
  return {
    environment,
    running:
      running === undefined
        ? undefined
        : { since: time(running.sinceMs), changes: running.changes, step: running.step },
    sync: last?.sync ?? 'Unknown',
    outcome: last?.outcome,
    revision: last?.desired?.revision,
    passId: last?.passId,
    lookedAt: time(lastEndedMs),
    next: time(nextMs),
    waiting:
      waiting === undefined || last?.waiting.length === 0
        ? undefined
        : { plan: waiting.planId, since: time(waiting.sinceMs) },
    suspensions: world.journal
      .suspensions(environment, world.nowMs())
      .map(({ application, reason, who, atMs, untilMs }) => ({
        application,
        reason,
        who,
        since: time(atMs),
        until: time(untilMs),
      })),
    errors: last?.errors ?? [],
    applications: last?.status ?? [],
  }
}

function plan({ running }: ControlOptions, { environment }: Arguments): object {
  const { loop } = findEnvironment(running, environment)
  const { last } = loop.state()
  if (last?.plan === undefined) throw new Failure('plan-changed', 'there is no plan yet')
  return planJson(last.plan, last.waiting.length > 0, last.sync)
}

function approve({ running, nowMs }: ControlOptions, given: Arguments): object {
  const { world, loop, plan, waiting } = findWaiting(running, text(given['id']))
  // Removals wait for a confirmation of their own: they come with the next plan (D3).
  const others = waiting.filter(change => !isRemoval(change))
  const covered = others.length > 0 ? others : waiting
  const atMs = nowMs()
  world.journal.approve({
    environment: plan.environment,
    planId: plan.id,
    commit: plan.revision.commit,
    who: text(given['who']) || 'unknown',
    via: 'control',
    ...messageOf(given),
    items: itemsOf(covered),
    atMs,
    expiresAtMs: atMs + world.config.approvalExpiresMs,
  })
  loop.request('command')
  const left = waiting.length - covered.length
  return { approved: plan.id, changes: covered.length, ...(left === 0 ? {} : { removalsLeft: left }) }
}

function discard({ running, nowMs }: ControlOptions, given: Arguments): object {
  const { world, loop, plan } = findWaiting(running, text(given['id']))
  const { id, environment, revision } = plan
  const who = text(given['who']) || 'unknown'
  world.journal.discard({
    environment,
    planId: id,
    commit: revision.commit,
    who,
    ...messageOf(given),
    atMs: nowMs(),
  })
  loop.request('command')
  return { discarded: id }
}

function reconcile({ running }: ControlOptions, { environment }: Arguments): object {
  const asked = environment === undefined ? running : [findEnvironment(running, environment)]
  for (const { loop } of asked) loop.request('command')
  return { requested: asked.length }
}

function suspend({ running, nowMs }: ControlOptions, given: Arguments): object {
  const controlled = findEnvironment(running, given['environment'])
  const { world, loop } = controlled
  const environment = nameOf(controlled)
  const until = given['untilMs']
  world.journal.suspend({
    environment,
    ...applicationOf(given),
    reason: text(given['reason']),
    who: text(given['who']) || 'unknown',
    atMs: nowMs(),
    ...(typeof until === 'number' ? { untilMs: until } : {}),
  })
  loop.request('command')
  return { suspended: text(given['application']) || environment }
}

function resume({ running }: ControlOptions, given: Arguments): object {
  const controlled = findEnvironment(running, given['environment'])
  const { world, loop } = controlled
  const environment = nameOf(controlled)
  const resumed = world.journal.resume(environment, applicationOf(given).application)
  loop.request('command')
  return { resumed }
}

function retry({ running }: ControlOptions, given: Arguments): object {
  const controlled = findEnvironment(running, given['environment'])
  const { world, loop } = controlled
  const environment = nameOf(controlled)
  const { application } = applicationOf(given)
  const released =
    world.journal.release(environment, application) + world.journal.releaseBarred(environment, application)
  delete world.memory.lastApplied
  loop.request('command')
  return { released }
}

function findWaiting(running: readonly Controlled[], id: string) {
  for (const { world, loop } of running) {
    const { last } = loop.state()
    if (last?.plan?.id === id && last.waiting.length > 0)
      return { world, loop, plan: last.plan, waiting: last.waiting }
  }
  const ids = running.flatMap(({ loop }) => {
    const { last } = loop.state()
    return last?.plan !== undefined && last.waiting.length > 0 ? [last.plan.id] : []
  })
  const waiting = ids.length === 0 ? 'no plan waits' : `these wait: ${ids.join(', ')}`
  throw new Failure('plan-changed', `plan ${id} does not wait for an answer; ${waiting}`)
}

function applicationOf(given: Arguments): { readonly application?: string } {
  const application = text(given['application'])
  return application === '' ? {} : { application }
}

function messageOf(given: Arguments): { readonly message?: string } {
  const message = text(given['message'])
  return message === '' ? {} : { message }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
