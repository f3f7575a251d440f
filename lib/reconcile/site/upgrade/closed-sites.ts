import { onceFor } from '../../../once-for.ts'
import type { Windows } from '../../../state/fleet/window.ts'
import type { World } from '../../world.ts'
import { windowsOf } from './window-now.ts'

/**
 * Returns whether the upgrade windows of a site are closed at this moment. Sites of one profile have the same windows,
 * which are asked once.
 */
export function closedNow({ config, memory, nowMs }: World): (site: string) => boolean {
  const windows = windowsOf(config.sites)
  const atMs = nowMs()
  const known = new Map<string, boolean>()
  return site => {
    const own = windows.get(site)
    if (own === undefined) return false
    const text = textOf(own)
    const isClosed = known.get(text) ?? !memory.fleet.windows.isOpen(own, atMs)
    known.set(text, isClosed)
    return isClosed
  }
}

/** The same for all sites of a profile, and asked for again each time that deployments are looked at. */
const textOf = onceFor((windows: Windows) => JSON.stringify(windows))

/** What is asked about an application on the sites of its deployment. */
type Gated = {
  readonly environment: string
  readonly application: string
  readonly sites: readonly string[]
  /** Whether another version than the wanted one was last seen on a site. */
  readonly hasOther: (site: string) => boolean
  readonly isClosed: (site: string) => boolean
}

/**
 * Notes that sites are not ready whose windows are closed, as a pass over them would find: nothing is drawn that could
 * only wait (A34, A60). A pass says so of each after a commit, but not before, nor when a window closes. What was begun
 * there runs to its end, and what somebody forced waits for no window (A66).
 */
export function noteClosed(
  { journal, memory: { fleet } }: World,
  { environment, application, sites, hasOther, isClosed }: Gated,
): void {
  const waiting = sites.filter(site => fleet.isReady(application, site) && isClosed(site) && hasOther(site))
  if (waiting.length === 0) return
  const begun = new Set(
    journal.openAttempts(environment).flatMap(one => (one.application === application ? [one.site] : [])),
  )
  const isForced = (site: string) =>
    journal
      .queueWords(environment, site)
      .some(one => one.application === application && one.word === 'forced')
  for (const site of waiting)
    if (!begun.has(site) && !isForced(site)) fleet.setReady(application, site, false)
}
