import type { SeenClaims } from './claim.ts'

/**
 * What was seen of a claim, and of others, since that was forgotten last. `hasWon`: the claim was won. `hasNews`: another
 * one had it, or wrote, so that a plan of before is void. `marks`: those of other holders, and of earlier ones who wrote
 * and gave it up.
 */
export type Traces = { hasWon: boolean; hasNews: boolean; readonly marks: Set<string> }

/** What a process knows of the marks on an engine, and the one that it leaves there itself. */
export type WriterMarks = {
  readonly traces: Traces
  /** Takes note of what the engine lists. */
  see(seen: SeenClaims): void
  /** Takes note of the mark of another one, whose claim was there first. */
  meet(mark: string): void
  /** Takes note that the claim with this mark is ours. */
  win(mark: string): void
  /** Returns those of all who wrote before, as the engine listed them last, and that of our claim. */
  all(): readonly string[]
  /** Puts the mark of our claim on the engine, unless it is there. */
  leave(signal: AbortSignal): Promise<void>
  /** Removes those that ours took the place of. What they told, it tells. */
  removeOlder(signal: AbortSignal): Promise<void>
}

/** The volume of a mark on an engine. */
export type MarkVolumes = {
  create(mark: string, signal: AbortSignal): Promise<unknown>
  remove(mark: string, signal: AbortSignal): Promise<unknown>
}

/**
 * Creates what a process knows that has not looked yet.
 * @param me its id, as claims name it
 */
export function createMarks(me: string, volumes: MarkVolumes): WriterMarks {
  const traces: Traces = { hasWon: false, hasNews: false, marks: new Set() }
  /** All that were ever listed, and ours. */
  const known = new Set<string>()
  let listed: readonly string[] = []
  let older: readonly string[] = []
  let ours: string | undefined
  /** The one of ours that is on the engine. */
  let left: string | undefined
  const meet = (mark: string) => {
    traces.marks.add(mark)
    traces.hasNews = true
  }
  return {
    traces,
    meet,
    see({ claims, marks }) {
      for (const { holder, mark } of claims) if (holder !== me) meet(mark)
      for (const mark of marks) if (!known.has(mark)) meet(mark)
      for (const mark of marks) known.add(mark)
      listed = marks
      if (left !== undefined && !marks.includes(left)) left = undefined
    },
    win(mark) {
      ours = mark
      known.add(mark)
      traces.hasWon = true
    },
    all: () => [...new Set([...listed, ...(ours === undefined ? [] : [ours])])],
    async leave(signal) {
      const mark = ours
      if (mark === undefined || left === mark) return
      // What others left after the claim was lost is not for this process to remove.
      older = traces.hasNews ? [] : listed.filter(one => one !== mark)
      await volumes.create(mark, signal)
      left = mark
    },
    async removeOlder(signal) {
      const all = older
      older = []
      await Promise.all(all.map(one => volumes.remove(one, signal)))
    },
  }
}
