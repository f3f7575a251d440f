import { createWindowClock } from '../../fleet/window/window-clock.ts'
import type { HeldVersion } from '../../journal/fleet/held-versions.ts'
import type { Journal } from '../../journal/journal.ts'
import { optional } from '../../object.ts'
import { byText } from '../../text/order.ts'
import type { Subject } from '../subject/subject.ts'
import { lastSeen } from './last-seen.ts'

/** A site whose upgrade window is closed: why an upgrade waits there, in words, and when it opens. */
export type ClosedSite = { readonly site: string; readonly reason: string; readonly opensMs?: number }

/** Returns the sites of an environment whose upgrade window is closed at a moment, by name. */
export async function closedSites(subject: Subject, atMs: number): Promise<readonly ClosedSite[]> {
  const windowed = [...subject.windows()].flatMap(([site, windows]) =>
    windows === undefined ? [] : [{ site, windows }],
  )
  if (windowed.length === 0) return []
  const clock = createWindowClock()
  await clock.load(windowed)
  const { closedText } = await import('../../fleet/window/window.ts')
  const closed = windowed.flatMap(({ site, windows }): readonly ClosedSite[] => {
    const state = clock.at(windows, atMs)
    return state.isOpen ? [] : [{ site, reason: closedText(state), ...optional('opensMs', state.opens?.ms) }]
  })
  return closed.toSorted(byText(({ site }) => site))
}

/** Returns those of these sites that were last seen to run another version of an application. A first one never waits. */
export function closedTo(
  journal: Journal,
  { environment, application, version }: Pick<HeldVersion, 'environment' | 'application' | 'version'>,
  closed: readonly ClosedSite[],
): readonly ClosedSite[] {
  if (closed.length === 0) return []
  const others = new Set(
    runningOf(journal, environment, application)
      .filter(one => one.version !== version)
      .map(({ site }) => site),
  )
  return closed.filter(({ site }) => others.has(site))
}

/** Returns which version of an application each site was last seen to run; none for sites that run none. */
export function runningOf(journal: Journal, environment: string, application: string) {
  return lastSeen(journal, environment).filter(one => one.application === application && one.running > 0)
}
