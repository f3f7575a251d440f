import type { Window, Windows } from '../../state/fleet/window.ts'
import { type Calendar, dayInUtc, weekdayOf } from './zone.ts'

/** A span of time in which upgrades are allowed: from its beginning to just before its end, in ms since 1970. */
export type Opening = {
  readonly fromMs: number
  readonly untilMs: number
  /** The zone of the window that opened it. */
  readonly zone: string
}

/** Returns when upgrades are allowed by a site that has windows, as far as that concerns a span of time, in order. */
export function openingsIn({ provider, owner }: Windows, span: Span, calendar: Calendar): readonly Opening[] {
  if (provider.length === 0) return ofParty(owner, span, calendar)
  if (owner.length === 0) return ofParty(provider, span, calendar)
  return inCommon(ofParty(provider, span, calendar), ofParty(owner, span, calendar))
}

type Span = Pick<Opening, 'fromMs' | 'untilMs'>

/** Returns when any of these windows is open. Spans that overlap or touch each other are one. */
function ofParty(windows: readonly Window[], span: Span, calendar: Calendar): readonly Opening[] {
  const single = windows
    .flatMap(window => ofWindow(window, span, calendar))
    .sort((a, b) => a.fromMs - b.fromMs)
  const merged: Opening[] = []
  for (const opening of single) {
    const last = merged.at(-1)
    if (last === undefined || opening.fromMs > last.untilMs) merged.push(opening)
    else if (opening.untilMs > last.untilMs) merged.splice(-1, 1, { ...last, untilMs: opening.untilMs })
  }
  return merged
}

/** A window belongs to the day on which it opens, even if it passes midnight (A62). */
function ofWindow(
  { days, startMinutes, zone, durationMs }: Window,
  { fromMs, untilMs }: Span,
  calendar: Calendar,
): readonly Opening[] {
  const first = dayInUtc(fromMs - durationMs) - 1
  const count = dayInUtc(untilMs) + 1 - first + 1
  return Array.from({ length: count }, (_, index) => first + index)
    .filter(day => days.length === 0 || days.includes(weekdayOf(day)))
    .map(day => {
      const opensMs = calendar(day, startMinutes, zone)
      return { fromMs: opensMs, untilMs: opensMs + durationMs, zone }
    })
    .filter(opening => opening.fromMs < untilMs && opening.untilMs > fromMs)
}

/** Returns when two parties are open at the same time. Both lists are in order. */
function inCommon(ones: readonly Opening[], others: readonly Opening[]): readonly Opening[] {
  const both: Opening[] = []
  const waiting = others.values()
  let other = waiting.next().value
  for (const one of ones)
    while (other !== undefined && other.fromMs < one.untilMs) {
      const later = one.fromMs > other.fromMs ? one : other
      const untilMs = Math.min(one.untilMs, other.untilMs)
      if (later.fromMs < untilMs) both.push({ ...later, untilMs })
      // It may meet the next one, too.
      if (other.untilMs > one.untilMs) break
      other = waiting.next().value
    }
  return both
}
