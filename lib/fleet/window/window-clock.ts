import { onceFor } from '../../memo/once-for.ts'
import type { Windows } from '../../state/fleet/window.ts'
import type { WindowState } from './window.ts'

/**
 * Tells of upgrade windows whether they are open. What tells the time in zones is loaded where there are windows only.
 * An answer is remembered for as long as it holds: to find out that windows never open takes a search through a year.
 */
export type WindowClock = {
  /** Has to be waited for before it is asked about sites that have windows. */
  load(sites: readonly { readonly windows?: Windows }[]): Promise<void>
  at(windows: Windows, atMs: number): WindowState
  /** Returns when windows close that are open now (see `closesMs`); undefined also if they are closed. */
  closesMs(windows: Windows, atMs: number): number | undefined
}

type Reckoning = Pick<typeof import('./window.ts'), 'windowAt' | 'closesMs'>

/** What holds from a moment to just before another one, in ms since 1970. */
type Known = {
  readonly fromMs: number
  readonly untilMs: number
  readonly state: WindowState
  readonly closesMs?: number
}

/**
 * Creates a clock that has loaded nothing: to it, all windows are open.
 * @param load what tells it
 */
export function createWindowClock(load: () => Promise<Reckoning> = () => import('./window.ts')): WindowClock {
  let reckoning: Reckoning | undefined
  const known = new Map<string, Known>()
  let enough = fewest
  /** What is over goes once there is twice as much as before, so that little stays of windows that no site has any more. */
  const forgetOver = (atMs: number) => {
    if (known.size < enough) return
    for (const [other, one] of known) if (!holdsAt(one, atMs)) known.delete(other)
    enough = Math.max(fewest, 2 * known.size)
  }
  const knownAt = (windows: Windows, atMs: number): Known | undefined => {
    if (reckoning === undefined) return undefined
    const text = textOf(windows)
    const there = known.get(text)
    if (there !== undefined && holdsAt(there, atMs)) return there
    forgetOver(atMs)
    const now = reckon(reckoning, windows, atMs)
    known.set(text, now)
    return now
  }
  return {
    async load(sites) {
      if (sites.some(({ windows }) => windows !== undefined)) reckoning ??= await load()
    },
    at: (windows, atMs) => knownAt(windows, atMs)?.state ?? { isOpen: true },
    closesMs: (windows, atMs) => knownAt(windows, atMs)?.closesMs,
  }
}

const fewest = 8

function holdsAt({ fromMs, untilMs }: Known, atMs: number): boolean {
  return fromMs <= atMs && atMs < untilMs
}

function reckon({ windowAt, closesMs }: Reckoning, windows: Windows, atMs: number): Known {
  const state = windowAt(windows, atMs)
  if (!state.isOpen) return { fromMs: atMs, untilMs: state.opens?.ms ?? atMs + longestMs, state }
  const endMs = closesMs(windows, atMs)
  if (endMs === undefined) return { fromMs: atMs, untilMs: atMs + longestMs, state }
  return { fromMs: atMs, untilMs: endMs, state, closesMs: endMs }
}

/** How long it counts that windows do not open, or do not close, within a year. */
const longestMs = 7 * 24 * 60 * 60 * 1000

/** The same for all sites of a profile, and asked for again each time that deployments are looked at. */
const textOf = onceFor((windows: Windows) => JSON.stringify(windows))
