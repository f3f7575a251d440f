/**
 * How many sites are woken in one turn of the event loop. Each does a little before it waits for its place, and while
 * memory is searched for garbage, that takes many times as long.
 */
const most = 64

/** Wakes sites in order. Of many at once, only so many in one turn, so that requests and events come between them. */
export type Waking = (wakes: readonly (() => void)[]) => void

/** Creates a line of sites to wake. Those for which there is room in this turn are woken at once. */
export function createWaking(): Waking {
  const waiting: (() => void)[] = []
  /** As long as it is less than `most`, another turn comes. */
  let room = most
  const wakeSome = () => {
    for (const wake of waiting.splice(0, room)) {
      room -= 1
      wake()
    }
  }
  const turn = () => {
    room = most
    wakeSome()
    if (room < most) setImmediate(turn)
  }
  return wakes => {
    const isFirst = room === most
    for (const wake of wakes) waiting.push(wake)
    wakeSome()
    if (isFirst && room < most) setImmediate(turn)
  }
}
