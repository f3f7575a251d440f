import { steadyMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import { parseRetryAfter } from './retry-after.ts'

/** A registry said for how long it does not want to be asked. */
export class RateLimited extends Failure {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super('registry-rate-limited', `${message}; tallyman asks again in ${Math.ceil(retryAfterMs / 1000)} s`)
    this.name = 'RateLimited'
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns what an answer with HTTP 429 means: with the pause that it asks for, if it says how long that is. */
export function rateLimit(message: string, headers: Headers): Failure {
  const retryAfterMs = parseRetryAfter(headers)
  return retryAfterMs === undefined
    ? new Failure('registry-rate-limited', message)
    : new RateLimited(message, retryAfterMs)
}

/** The registries that must not be asked now. They are remembered as long as the process runs (G21). */
export type Pauses = {
  /** Returns why a registry must not be asked; undefined if it may be. */
  current(host: string): RateLimited | undefined
  begin(host: string, limited: RateLimited): void
}

/** Creates an empty set of pauses. `now` is a steady clock in ms. */
export function createPauses(now: () => number = steadyMs): Pauses {
  const untilMs = new Map<string, number>()
  return {
    current(host) {
      const leftMs = (untilMs.get(host) ?? 0) - now()
      return leftMs > 0 ? new RateLimited(`${host}: too many requests`, leftMs) : undefined
    },
    begin(host, limited) {
      untilMs.set(host, now() + limited.retryAfterMs)
    },
  }
}
