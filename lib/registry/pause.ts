import { steadyMs } from '../clock.ts'
import { Failure } from '../errors.ts'

/** A registry that said how long it does not want to be asked. */
export class RateLimited extends Failure {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super('registry-rate-limited', `${message}; tallyman asks again in ${Math.ceil(retryAfterMs / 1000)} s`)
    this.name = 'RateLimited'
    this.retryAfterMs = retryAfterMs
  }
}

/** Which registries are not to be asked for now; lives as long as the process (G21). */
export type Pauses = {
  /** Why a registry is not to be asked; undefined when it may be. */
  current(host: string): RateLimited | undefined
  begin(host: string, limited: RateLimited): void
}

/** No registry paused yet. `now` is a clock that nobody puts back, in ms. */
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
