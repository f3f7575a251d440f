import { setImmediate as turn } from 'node:timers/promises'
import { timeOfDayMs } from '../../../../lib/clock.ts'
import { later } from '../../../../lib/wait/timer.ts'

/** The time of a simulated engine, in ms since 1970: that of this machine, or one that a test moves. */
export type Clock = {
  nowMs(): number
  /** Calls back once, after a while, unless the returned function is called before. */
  after(ms: number, act: () => void): () => void
}

export const realClock: Clock = {
  nowMs: timeOfDayMs,
  after(ms, act) {
    const timer = later(ms, act)
    timer.unref()
    return timer.cancel
  },
}

/** A clock that stands still until a test moves it. Many engines may share one. */
export type VirtualClock = Clock & {
  /** Moves the time forward. Whatever is due on the way happens in its order, each at its own time. */
  advance(ms: number): Promise<void>
}

type Due = { readonly atMs: number; readonly act: () => void; isOver: boolean }

/** Creates a clock that begins at a time of day. What is due at once happens without moving it. */
export function virtualClock(startMs: number = timeOfDayMs()): VirtualClock {
  const waiting: Due[] = []
  let nowMs = startMs
  const happen = (due: Due) => {
    if (due.isOver) return
    due.isOver = true
    due.act()
  }
  return {
    nowMs: () => nowMs,
    after(ms, act) {
      const due: Due = { atMs: nowMs + Math.max(0, ms), act, isOver: false }
      if (ms <= 0) setImmediate(happen, due)
      else waiting.splice(placeOf(waiting, due.atMs), 0, due)
      return () => {
        due.isOver = true
      }
    },
    async advance(ms) {
      const endMs = nowMs + ms
      await turn()
      for (let next = waiting[0]; next !== undefined && next.atMs <= endMs; next = waiting[0]) {
        waiting.shift()
        if (next.isOver) continue
        nowMs = next.atMs
        happen(next)
        await turn()
      }
      nowMs = endMs
    },
  }
}

/** Returns the index behind everything that is due at that time or before. */
function placeOf(waiting: readonly Due[], atMs: number): number {
  let [low, high] = [0, waiting.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((waiting[middle]?.atMs ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return low
}
