import type { Engine, Scope } from '../engine.ts'
import { type Failure, toFailure } from '../errors.ts'
import type { LiveState } from '../state/live.ts'

export type Seen = {
  readonly sites: readonly LiveState[]
  readonly unreachable: readonly { readonly site: string; readonly failure: Failure }[]
}

/** What all sites run, side by side. A site that does not answer never holds the others (G17). */
export async function observeAll(
  engines: readonly Engine[],
  scope: Scope,
  signal: AbortSignal,
): Promise<Seen> {
  const answers = await Promise.all(
    engines.map(async engine => {
      try {
        return { live: await engine.observe(scope, signal) }
      } catch (error) {
        return { site: engine.site, failure: toFailure(error) }
      }
    }),
  )
  return {
    sites: answers.flatMap(answer => (answer.live === undefined ? [] : [answer.live])),
    unreachable: answers.flatMap(answer =>
      answer.live === undefined ? [{ site: answer.site, failure: answer.failure }] : [],
    ),
  }
}
