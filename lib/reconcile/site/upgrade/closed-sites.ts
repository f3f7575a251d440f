import type { WindowState } from '../../../fleet/window/window.ts'
import { least } from '../../extremes.ts'
import { begunSites } from '../../fleet/begun-on.ts'
import type { World } from '../../world.ts'
import { windowsOf } from './window-now.ts'

/** Returns whether the upgrade windows of a site are open at this moment, and when they are next. */
export function windowsNow({ config, memory, nowMs }: World): (site: string) => WindowState {
  const windows = windowsOf(config.sites)
  const atMs = nowMs()
  return site => {
    const own = windows.get(site)
    return own === undefined ? alwaysOpen : memory.fleet.windows.at(own, atMs)
  }
}

const alwaysOpen: WindowState = { isOpen: true }

/** What is asked about an application on the sites of its deployment. */
type Gated = {
  readonly environment: string
  readonly application: string
  readonly sites: readonly string[]
  /** Whether another version than the wanted one was last seen on a site. */
  readonly hasOther: (site: string) => boolean
  readonly windowOn: (site: string) => WindowState
}

/**
 * Notes that sites are not ready whose windows are closed, as a pass over them would find: nothing is drawn that could
 * only wait (A34, A60). A pass says so of each after a commit, but not before, nor when a window closes. What was begun
 * there runs to its end, and what somebody forced waits for no window (A66). Once a window is open again, its site is as
 * it was before. Returns when the first of them opens, because nobody makes a pass there then; undefined: none does.
 */
export function noteClosed(
  { journal, memory }: World,
  { environment, application, sites, hasOther, windowOn }: Gated,
): number | undefined {
  const { readiness } = memory.fleet
  const isClosed = (site: string) => !windowOn(site).isOpen && hasOther(site)
  for (const site of readiness.closed(application))
    if (!isClosed(site)) readiness.setClosed(application, site, false)
  const waiting = sites.filter(site => readiness.isReady(application, site) && isClosed(site))
  if (waiting.length > 0) {
    const begun = begunSites(journal, environment, application)()
    const isForced = (site: string) =>
      journal
        .queueWords(environment, site)
        .some(one => one.application === application && one.word === 'forced')
    for (const site of waiting)
      if (!begun.has(site) && !isForced(site)) readiness.setClosed(application, site, true)
  }
  return least(readiness.closed(application).map(site => opensMs(windowOn(site))))
}

function opensMs(state: WindowState): number | undefined {
  return state.isOpen ? undefined : state.opens?.ms
}
