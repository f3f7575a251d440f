import { Failure } from '../errors.ts'
import type { Change, Plan } from '../plan/change.ts'
import { isRemoval, itemsOf } from '../reconcile/approval.ts'
import { requestPass } from '../reconcile/pass-ends.ts'
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
  return answer(options, given, ({ controlled, plan, waiting }) => {
    const { world, loop, ends } = controlled
    // Removals wait for a separate confirmation: they come with the next plan (D3).
    const others = waiting.filter(change => !isRemoval(change))
    const covered = others.length > 0 ? others : waiting
    const atMs = options.nowMs()
    const { after } = world.journal.stepsAfter(plan.environment)
    world.journal.approve({
      environment: plan.environment,
      planId: plan.id,
      commit: plan.revision.commit,
      who: whoOf(given),
      via: 'control',
      ...messageOf(given),
      items: itemsOf(covered),
      atMs,
      expiresAtMs: atMs + world.config.approvalExpiresMs,
    })
    const left = waiting.length - covered.length
    return {
      approved: plan.id,
      environment: plan.environment,
      changes: covered.length,
      ...(left === 0 ? {} : { removalsLeft: left }),
      // The numbers let `progress` find the pass that carries the plan out: a running pass may still take up the
      // approval.
      from: ends.count() + 1,
      pass: requestPass(loop, ends),
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
  return answer(options, given, ({ controlled: { world, loop }, plan }) => {
    const { id, environment, revision } = plan
    world.journal.discard({
      environment,
      planId: id,
      commit: revision.commit,
      who: whoOf(given),
      ...messageOf(given),
      atMs: options.nowMs(),
    })
    world.journal.clearWaiting(environment)
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

/** A plan that waits for an answer, and the changes in it that wait. */
type Asked = { readonly controlled: Controlled; readonly plan: Plan; readonly waiting: readonly Change[] }

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
    if (last?.plan?.id === id && last.waiting.length > 0)
      return { controlled, plan: last.plan, waiting: last.waiting }
  }
  return undefined
}

/** The daemon does not know a plan that `plan` has just shown. It does once a pass has looked. */
async function lookFor(running: readonly Controlled[], id: string): Promise<void> {
  const signal = abortAfter(lookMs)
  const numbers = running.map(({ loop, ends }) => ({ ends, number: requestPass(loop, ends) }))
  const looked = numbers.map(async ({ ends, number }) => {
    for (let next = ends.count() + 1; next <= number && askedIn(running, id) === undefined; next += 1)
      await ends.result(next, signal)
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
function demandUnanswered({ controlled, plan }: Asked, nowMs: number): void {
  const { world, loop } = controlled
  const { last, lastEndedMs = 0 } = loop.state()
  const rival = last?.errors.find(({ code }) => code === 'another-writer')
  if (rival !== undefined) throw new Failure('another-writer', rival.message, { hint: rival.hint })
  const words = world.journal.wordsOn(plan.environment, plan.id)
  const said = words.find(({ word, commit, atMs }) =>
    word === 'discarded' ? commit === plan.revision.commit : atMs >= lastEndedMs && atMs <= nowMs,
  )
  if (said !== undefined) throw answered(controlled, plan.id)
}

function whoOf(given: Given): string {
  return text(given['who']) || 'unknown'
}

function messageOf(given: Given): { readonly message?: string } {
  const message = text(given['message'])
  return message === '' ? {} : { message }
}
