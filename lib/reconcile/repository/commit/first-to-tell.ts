import { later, type Timer } from '../../../wait/timer.ts'

/**
 * Asks one after the other until the first tells: the next one as soon as the last one fails, or has been asked for this
 * many ms. So most are not asked at all, and a silent one holds up nobody (G17). Fails as `Promise.any` does, with the
 * reasons in the order in which they were asked. Takes time in proportion to those that are asked (G24).
 */
export function firstToTell<One, Told extends object>(
  all: readonly One[],
  patienceMs: number,
  ask: (one: One) => Promise<Told>,
): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>()
  const reasons: unknown[] = []
  let [asked, failed] = [0, 0]
  let isTold = false
  let patience: Timer | undefined

  function askNext(): void {
    patience?.cancel()
    const at = asked
    const one = all[at]
    if (isTold || one === undefined) return
    asked += 1
    patience = later(patienceMs, askNext)
    ask(one).then(
      told => {
        isTold = true
        patience?.cancel()
        resolve(told)
      },
      reason => {
        reasons[at] = reason
        failed += 1
        if (at === asked - 1) askNext()
        if (failed === all.length) reject(new AggregateError(reasons))
      },
    )
  }

  if (all.length === 0) reject(new AggregateError(reasons))
  askNext()
  return promise
}
