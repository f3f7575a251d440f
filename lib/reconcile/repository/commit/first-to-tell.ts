import { sleep } from '../../../timer.ts'

/**
 * Asks one after the other until the first tells: the next one as soon as one fails, or has been asked for this many ms.
 * So most are not asked at all, and a silent one holds up nobody (G17). Fails as `Promise.any` does, with the reasons in
 * the order in which they were asked.
 */
export async function firstToTell<One, Told extends object>(
  all: readonly One[],
  patienceMs: number,
  ask: (one: One) => Promise<Told>,
): Promise<Told> {
  const asked: Promise<Told>[] = []
  for (const one of all) {
    asked.push(ask(one))
    const told = await soon(asked, patienceMs)
    if (told !== undefined) return told
  }
  return Promise.any(asked)
}

/** Returns the first that tells; undefined if all of them fail, or none does so soon. */
async function soon<Told>(asked: readonly Promise<Told>[], patienceMs: number): Promise<Told | undefined> {
  const enough = new AbortController()
  const late = sleep(patienceMs, enough.signal).catch(() => undefined)
  const told = await Promise.race([Promise.any(asked).catch(() => undefined), late])
  enough.abort()
  return told ?? undefined
}
