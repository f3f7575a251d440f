import { optional } from '../../../object.ts'
import type { BatchDrawn, RunFact, SiteFailed, WordGiven } from '../../../state/fleet/run.ts'

/** What has to happen before anything more begins in a run that was stopped. */
export type Stop = Paused | (Ended & { readonly paused?: WordGiven })

/** A person paused the run. */
type Paused = { readonly for: 'resume'; readonly said: WordGiven }

/** An error or a person ended the run. With `paused`, a person holds back the next version, too. */
type Ended =
  | { readonly for: 'correction'; readonly failed: SiteFailed }
  | { readonly for: 'nothing'; readonly said: WordGiven }

/** Whether nothing more begins in a run, because of an error or a person's word. */
export function isStopped(facts: readonly RunFact[]): boolean {
  return stopOf(facts) !== undefined
}

/** Whether a person's word changes nothing: a paused run can still be aborted, and one that has ended paused. */
export function isSaid(facts: readonly RunFact[], word: 'pause' | 'abort'): boolean {
  const { end, pause } = stopsIn(facts)
  return (word === 'pause' ? pause : end) !== undefined
}

/** Whether an error or a person ended a run: nobody gets its version any more. */
export function isEnded(facts: readonly RunFact[]): boolean {
  return whatEnded(facts) !== undefined
}

/** Returns which error or word ended a run; undefined: none did. Failures and words tell it, without other facts. */
export function whatEnded(facts: readonly RunFact[]): SiteFailed | WordGiven | undefined {
  const { end } = stopsIn(facts)
  return end?.for === 'correction' ? end.failed : end?.said
}

/** Returns the pause that lasts, if a person paused a run. A pause is of the deployment, whatever version is next. */
export function pauseIn(facts: readonly RunFact[]): WordGiven | undefined {
  return stopsIn(facts).pause?.said
}

/** Whether all of these sites have reached the version of a run. */
export function isEverywhere(facts: readonly RunFact[], sites: readonly string[]): boolean {
  const reached = everReached(facts)
  return sites.every(site => reached.has(site))
}

/** Returns the sites that have reached the version of a run, also those that are no longer there. */
export function everReached(facts: readonly RunFact[]): ReadonlySet<string> {
  return new Set(facts.flatMap(fact => (fact.kind === 'reached' ? [fact.site] : [])))
}

/** Returns the batches that were drawn, in that order. */
export function batchesIn(facts: readonly RunFact[]): readonly BatchDrawn[] {
  return facts.filter(fact => fact.kind === 'batch')
}

/** Returns why nothing more begins, if an error or a person said so last. An end counts before a pause. */
function stopOf(facts: readonly RunFact[]): Stop | undefined {
  return stopBy(stopsIn(facts))
}

/** Returns why nothing more begins, of what stops a run. */
export function stopBy({ end, pause }: Stops): Stop | undefined {
  return end === undefined ? pause : { ...end, ...optional('paused', pause?.said) }
}

/** What ended a run, and its pause, which outlasts that: it holds back the correction, too. */
export type Stops = { readonly end?: Ended; readonly pause?: Paused }

function stopsIn(facts: readonly RunFact[]): Stops {
  return stopsAfter({}, facts)
}

/** Returns what stops a run after further facts. */
export function stopsAfter(before: Stops, facts: readonly RunFact[]): Stops {
  let { end, pause } = before
  for (const fact of facts) {
    if (fact.kind === 'failed') end ??= { for: 'correction', failed: fact }
    else if (fact.kind !== 'word') continue
    else if (fact.word === 'abort') end = { for: 'nothing', said: fact }
    else if (fact.word === 'pause') pause ??= { for: 'resume', said: fact }
    else if (fact.word === 'resume') [end, pause] = [undefined, undefined]
  }
  return { ...optional('end', end), ...optional('pause', pause) }
}
