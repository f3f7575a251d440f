import { createEngineClaims } from '../../../../lib/writer/engine-claims.ts'
import { claimOn } from '../../../../lib/writer/on-engine/claim.ts'
import type { Keeper, Pace } from '../../../../lib/writer/on-engine/keeper.ts'
import { identity } from '../../../support/builders/builders.ts'
import type { MemoryClaims } from '../../../support/memory/memory-claims.ts'

export const prod = identity('prod')
export const claim = claimOn(prod)
export const { signal } = new AbortController()
/** It looks only when it is told to. */
export const never = { lookMs: 1e9, waitMs: 1e9, deadMs: 60_000, freshMs: 10_000, leaseMs: 30_000 }

/** A process on a machine of its own, and the clock that it goes by. */
export function machine(name: string, engine: MemoryClaims, pace: Partial<Pace> = never) {
  let ms = 1_000_000
  const claims = createEngineClaims({
    ...{ pace, me: { id: name, machine: `machine of ${name}`, who: `pid 1 on ${name}` } },
    ...{ sinceBootMs: () => ms, random: () => 1 },
  })
  let news = 0
  const onNews = () => {
    news += 1
  }
  const keeper = claims.keep({ site: 'local', claims: engine }, prod, { onNews, onMark: () => undefined })
  return { claims, keeper, news: () => news, pass: (byMs: number) => (ms += byMs) }
}

export async function isTaken(keeper: Keeper): Promise<string> {
  return (await keeper.take(false, signal)).is
}
