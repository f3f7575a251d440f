import type { ChangeResult } from '../../../apply/apply.ts'
import type { Engine, ImageCode } from '../../../engine.ts'
import type { ErrorCode } from '../../../errors/catalogue.ts'
import { isUnreachable } from '../../../errors/site-unreachable.ts'
import { Failure, toFailure } from '../../../errors.ts'
import type { SeenSite } from '../observe.ts'

/**
 * Returns why one of several sites was not reached, or was lost in the middle of its changes; undefined if it answered.
 * That Tallyman does not get to an engine says nothing about what is deployed (A34). It is an error if the site is the
 * only one, because then nothing of the environment can be looked at.
 */
export function whyUnreached(
  seen: SeenSite,
  results: readonly ChangeResult[],
  isOnlySite: boolean,
): Failure | undefined {
  if (isOnlySite) return undefined
  if ('failure' in seen) return isNotReached(seen.failure.code) ? seen.failure : undefined
  return results.map(failureOf).find(isUnreachable)
}

/** What cannot come of a question about one image, so that it says something about all others, too (D15). */
type OfEngine = Exclude<ErrorCode, ImageCode>

/** Nobody answers at the endpoint, or whoever answers is not trusted, or does not trust us. */
const noWay: readonly OfEngine[] = [
  'engine-unreachable',
  'engine-denied',
  'engine-key-unusable',
  'engine-host-unknown',
  'engine-host-changed',
]

/** Whether an error says that a site is not reached. */
export function isNotReached(code: string): boolean {
  const all: readonly string[] = noWay
  return all.includes(code)
}

/** An engine that is reached is of no Swarm that can be asked. */
const noSwarm: readonly OfEngine[] = ['swarm-unavailable', 'swarm-unsupported']

/** Whether an error says that an engine answers nobody, whatever it was asked (D15). */
export function isLoss(code: string): boolean {
  const all: readonly string[] = noSwarm
  return isNotReached(code) || all.includes(code)
}

/** Whether an error is of a site alone, and says nothing about what is to be deployed there (A34). */
export function isOfSite(code: string): boolean {
  // An engine that is reached does not do what it is asked.
  return isLoss(code) || code === 'engine-unsupported' || code === 'engine-refused'
}

/** Of several sites none was reached, so that nobody knows what they have. `sites` says why of each, by its name. */
export class NoneReached extends Failure {
  readonly sites: ReadonlyMap<string, Failure>

  constructor(sites: ReadonlyMap<string, Failure>) {
    const reasons = [...sites.values()].map(({ message }) => message)
    super('engine-unreachable', `no site is reached: ${reasons.join('; ')}`)
    this.name = 'NoneReached'
    this.sites = sites
  }
}

/**
 * Returns why no site answers, given how `Promise.any` failed over the answers of all: what went wrong on one of them if
 * that is more than that it was not reached, or else of all of them that they were not. A single site has its own
 * failure.
 */
export function whyNoneAnswers(engines: readonly Pick<Engine, 'site'>[], none: unknown): Failure {
  const reasons: readonly unknown[] = none instanceof AggregateError ? none.errors : [none]
  const failures = reasons.map(toFailure)
  const other = failures.find(({ code }) => !isNotReached(code))
  const [only, ...more] = failures
  const telling = other ?? (more.length === 0 ? only : undefined)
  if (telling !== undefined) return telling
  const sites = engines.map(({ site }) => site)
  return new NoneReached(new Map(failures.map((failure, at) => [sites[at] ?? '', failure])))
}

/** Whether a change failed because its site no longer answered. */
export function wasLost(done: ChangeResult): boolean {
  return isUnreachable(failureOf(done))
}

function failureOf(done: ChangeResult): Failure | undefined {
  return done.result === 'failed' ? done.failure : undefined
}
