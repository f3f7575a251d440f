import { Failure } from '../errors.ts'
import type { Change, Plan } from '../plan/change/change.ts'
import { isRemoval, itemsOf } from '../reconcile/approval.ts'
import type { PassResult } from '../reconcile/pass-result.ts'
import { resultsBySite } from '../reconcile/together.ts'
import { timeout as abortAfter } from '../timer.ts'
import { type Controlled, type ControlOptions, type Given, text } from './controlled.ts'
import { findEnvironment, nameOf, subjectOf } from './environments.ts'
import { answered, isUnderWay, notAsked } from './plan-fate.ts'

/** How long an unknown plan is looked for. The command that asks waits a little longer. */
const lookMs = 25_000

/**
 * Approves the changes of a plan that wait. Removals come last (D3). Fails if the plan does not wait or has an answer.
 */
export async function approve(options: ControlOptions, given: Given): Promise<object> {
  return answer(options, given, ({ controlled, plan, parts }) => {
    const { world, loop, ends } = controlled
    const { id, environment, revision } = plan
    const waiting = parts.flatMap(part => part.waiting)
    // Removals wait for a separate confirmation: they come with the next plan (D3).
    const isLeft = waiting.every(isRemoval) ? () => false : isRemoval
    const covered = waiting.filter(change => !isLeft(change))
    const atMs = options.nowMs()
    const { after } = world.journal.stepsAfter(environment)
    const word = {
      environment,
      commit: revision.commit,
      who: whoOf(given),
      via: 'control',
      ...messageOf(given),
      atMs,
      expiresAtMs: atMs + world.config.approvalExpiresMs,
    } as const
    for (const { planId, items } of [
      ...parts.map(part => ({
        planId: part.plan.id,
        items: itemsOf(part.waiting.filter(change => !isLeft(change))),
      })),
      // The plan of several sites is known by what was said about it.
      ...(parts.some(part => part.plan.id === id) ? [] : [{ planId: id, items: [] }]),
    ])
      world.journal.approve({ ...word, planId, items })
    const left = waiting.length - covered.length
    return {
      approved: id,
      environment,
      changes: covered.length,
      ...(left === 0 ? {} : { removalsLeft: left }),
      // The numbers let `progress` find the passes that carry the plan out: a running pass may still take up the
      // approval.
      from: ends.count(),
      look: loop.request('command'),
      after,
    }
  })
}

/**
 * Discards the changes of a plan that wait, at its commit (D4), or takes back the approval of a plan of which nothing
 * has begun. Fails if the plan neither waits nor can be taken back, or was discarded before.
 */
export async function discard(options: ControlOptions, given: Given): Promise<object> {
  const { running, journal, nowMs } = options
  if (given['environment'] !== undefined) await subjectOf(running, given)
  const taken = journal.atOnce(() => takeBack(running, given, nowMs()))
  if (taken !== undefined) return taken
  return answer(options, given, ({ controlled: { world, loop }, plan, parts }) => {
    const { id, environment, revision } = plan
    const word = { commit: revision.commit, who: whoOf(given), ...messageOf(given), atMs: options.nowMs() }
    for (const planId of new Set([id, ...parts.map(part => part.plan.id)]))
      world.journal.discard({ environment, planId, ...word })
    for (const { site } of parts) world.journal.clearWaiting(environment, site)
    loop.request('command')
    return { discarded: id, environment }
  })
}

/** Takes back an approval; undefined if there is none of that plan, or if something of it has begun. */
function takeBack(running: readonly Controlled[], given: Given, nowMs: number): object | undefined {
  const id = text(given['id'])
  const environment = text(given['environment'])
  const owner = environment === '' ? undefined : findEnvironment(running, environment)
  for (const controlled of owner === undefined ? running : [owner]) {
    const { world, loop } = controlled
    const approval = world.journal.unbegun(nameOf(controlled), nowMs)
    const isRunning = (loop.state().running?.changes.length ?? 0) > 0
    if (approval?.planId !== id || isRunning) continue
    const where = { environment: nameOf(controlled), planId: id, commit: approval.commit }
    world.journal.withdraw(where.environment, id)
    world.journal.discard({ ...where, who: whoOf(given), ...messageOf(given), atMs: nowMs })
    world.journal.clearWaiting(where.environment)
    loop.request('command')
    return { discarded: id, environment: where.environment }
  }
  return undefined
}

/** A plan that waits for an answer, of one site or of several. */
type Asked = {
  readonly controlled: Controlled
  readonly plan: Plan
  /** What waits on each site. */
  readonly parts: readonly Part[]
}

type Part = { readonly site: string; readonly plan: Plan; readonly waiting: readonly Change[] }

/**
 * The only place where an answer to a plan is taken. One transaction checks that the plan waits now, in the environment
 * that was named, and that nobody has answered it, and writes the answer. A plan that nobody knows yet is looked for
 * first.
 */
async function answer(
  options: ControlOptions,
  given: Given,
  write: (asked: Asked) => object,
): Promise<object> {
  const id = text(given['id'])
  const { running, journal } = options
  if (given['environment'] !== undefined) await subjectOf(running, given)
  if (askedIn(running, id) === undefined && !running.some(one => isUnderWay(one, id)))
    await lookFor(running, id)
  return journal.atOnce(() => {
    const asked = askedIn(running, id)
    demandEnvironment(running, asked?.controlled, id, given['environment'])
    if (asked === undefined) throw notAsked(running, id)
    demandUnanswered(asked, options.nowMs())
    return write(asked)
  })
}

function askedIn(running: readonly Controlled[], id: string): Asked | undefined {
  for (const controlled of running) {
    const { last } = controlled.loop.state()
    const parts = last === undefined ? [] : waitingParts(last)
    if (last?.plan?.id === id && parts.length > 0) return { controlled, plan: last.plan, parts }
    const own = parts.filter(({ plan }) => plan.id === id)
    const [part] = own
    if (part !== undefined) return { controlled, plan: part.plan, parts: own }
  }
  return undefined
}

function waitingParts(last: PassResult): readonly Part[] {
  return resultsBySite(last).flatMap(({ site = '', plan, waiting }) =>
    plan === undefined || waiting.length === 0 ? [] : [{ site, plan, waiting }],
  )
}

/** The daemon does not know a plan that `plan` has just shown. It does once a pass has looked. */
async function lookFor(running: readonly Controlled[], id: string): Promise<void> {
  const signal = abortAfter(lookMs)
  const looked = running.map(({ loop, ends }) => {
    const look = loop.request('command')
    return ends.until(() => loop.isSettled(look) || askedIn(running, id) !== undefined, signal)
  })
  await Promise.all(looked).catch(error => {
    if (!signal.aborted) throw error
  })
}

function demandEnvironment(
  running: readonly Controlled[],
  controlled: Controlled | undefined,
  id: string,
  environment: unknown,
): void {
  if (environment === undefined) return
  const named = findEnvironment(running, environment)
  const owner = controlled ?? running.find(one => one.world.journal.passOfPlan(nameOf(one), id) !== undefined)
  if (owner === undefined || owner === named) return
  throw new Failure(
    'wrong-usage',
    `plan ${id} belongs to the environment ${nameOf(owner)}, not to ${nameOf(named)}`,
    {
      hint: `Name ${nameOf(owner)}, or no environment.`,
    },
  )
}

/**
 * Fails if the plan was answered since a pass last found it waiting. What still waits after that pass is asked anew. An
 * answer with a time in the future was given before the clock was set back.
 */
function demandUnanswered({ controlled, plan, parts }: Asked, nowMs: number): void {
  const { world, loop } = controlled
  const { last, lastEndedMs = 0 } = loop.state()
  const rival = last?.errors.find(({ code }) => code === 'another-writer')
  if (rival !== undefined) throw new Failure('another-writer', rival.message, { hint: rival.hint })
  const isAnswered = (part: Part) =>
    world.journal
      .wordsOn(plan.environment, part.plan.id)
      .some(({ word, commit, atMs }) =>
        word === 'discarded' ? commit === plan.revision.commit : atMs >= lastEndedMs && atMs <= nowMs,
      )
  if (parts.every(isAnswered)) throw answered(controlled, plan.id)
}

function whoOf(given: Given): string {
  return text(given['who']) || 'unknown'
}

function messageOf(given: Given): { readonly message?: string } {
  const message = text(given['message'])
  return message === '' ? {} : { message }
}
