import type { Windows } from '../../state/fleet/window.ts'
import { type Opening, openingsIn } from './openings.ts'
import { type Calendar, createCalendar, dayMs, localText } from './zone.ts'

/** Whether a site may be upgraded at a moment, and if not, when it may be; times are in ms since 1970. */
export type WindowState =
  | { readonly isOpen: true }
  | {
      readonly isOpen: false
      /** When it opens next; absent: it never does, because the windows of provider and owner never meet. */
      readonly opens?: { readonly ms: number; readonly zone: string }
    }

/** Returns whether upgrades are allowed on a site at a moment (A61, D8). */
export function windowAt(windows: Windows, atMs: number): WindowState {
  if (isAlwaysOpen(windows)) return { isOpen: true }
  const next = nextOpening(windows, atMs, createCalendar())
  if (next === undefined) return { isOpen: false }
  const { fromMs, zone } = next
  return fromMs <= atMs ? { isOpen: true } : { isOpen: false, opens: { ms: fromMs, zone } }
}

/**
 * Returns when upgrades are no longer allowed on a site where they are allowed now, in ms since 1970; undefined if that
 * is not within a year. If they are not allowed now, returns the present moment.
 */
export function closesMs(windows: Windows, atMs: number): number | undefined {
  if (isAlwaysOpen(windows)) return undefined
  const calendar = createCalendar()
  let endMs = atMs
  while (endMs < atMs + horizonMs) {
    const next = nextOpening(windows, endMs, calendar)
    if (next === undefined || next.fromMs > endMs) return endMs
    endMs = next.untilMs
  }
  return undefined
}

/** Returns why an upgrade waits, in words that continue a sentence about it (G13). */
export function closedText({ opens }: Extract<WindowState, { isOpen: false }>): string {
  return opens === undefined
    ? 'waits for the upgrade window, which never opens: the windows of provider and owner have no time in common'
    : `waits for the upgrade window, which opens ${localText(opens.ms, opens.zone)}`
}

function isAlwaysOpen({ provider, owner }: Windows): boolean {
  return provider.length + owner.length === 0
}

/** Returns the opening that has not ended yet and is the first to end; undefined if none begins within a year. */
function nextOpening(windows: Windows, atMs: number, calendar: Calendar): Opening | undefined {
  for (let fromMs = atMs; fromMs < atMs + horizonMs; fromMs += weekMs) {
    const [first] = openingsIn(windows, { fromMs, untilMs: fromMs + weekMs }, calendar)
    if (first !== undefined) return first
  }
  return undefined
}

const weekMs = 7 * dayMs
/** Windows repeat each week, except that the zones of two parties may put their clocks forward on different days. */
const horizonMs = 54 * weekMs
