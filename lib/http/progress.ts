import type { ProgressQuery } from '../answers/request.gen.ts'
import type { PassEnds } from '../reconcile/pass-ends.ts'
import type { PassResult } from '../reconcile/pass-result.ts'
import { timeout as abortAfter } from '../timer.ts'
import type { ControlOptions } from './controlled.ts'
import { findControlled, nameOf } from './environments.ts'

/** How long a request waits for news before it is answered without any. */
const limitMs = 500

/**
 * Returns the steps after a point and, once it has ended, the result of the pass that carried out a plan. That pass is
 * between the two numbers that `approve` returns. Repeated calls follow an approval to its end.
 */
export async function progress(
  { running }: ControlOptions,
  given: ProgressQuery & { readonly environment: string },
): Promise<object> {
  const controlled = findControlled(running, given.environment)
  const { world, ends } = controlled
  const pass = Number(given.pass)
  const after = Number(given.after)
  const from = given.from === undefined ? pass : Number(given.from)
  const signal = abortAfter(limitMs)
  const ended = await endedPass(ends, { from, pass, plan: given.plan ?? '' }, signal)
  const steps = world.journal.stepsAfter(nameOf(controlled), after)
  // The result comes only after all steps of the pass.
  if (ended === undefined || steps.events.length > 0) return steps
  return { ...steps, ended }
}

/** Returns the end of the pass that carried out the plan; undefined while there is none. */
async function endedPass(
  ends: PassEnds,
  { from, pass, plan }: { readonly from: number; readonly pass: number; readonly plan: string },
  signal: AbortSignal,
): Promise<object | undefined> {
  for (let number = from; number <= pass; number += 1) {
    const over = await ends.result(number, signal).then(
      result => ({ result }),
      () => undefined,
    )
    if (over === undefined) return undefined
    const { result } = over
    const isCarriedOut = result?.plan?.id === plan && result.results.length > 0
    if (number < pass && !isCarriedOut) continue
    return result === undefined ? { outcome: 'failed', errors: [] } : endOf(result)
  }
  return undefined
}

function endOf({ passId, outcome, sync, errors, waiting }: PassResult): object {
  return { passId, outcome, sync, errors, waiting: waiting.length }
}
