import type { NextUpgrade, Queued } from '../../../../fleet/queue.ts'
import type { Held } from '../../../../plan/hold/held.ts'
import { firstAndMore } from '../../../../text/first-and-more.ts'

/** A version that waits on a site, and what becomes of it. */
export type QueuedVersion = {
  readonly version: string
  /**
   * `next`: it is installed now, or as soon as nothing holds it back. `later`: after those before it. `skipped`: it is
   * not installed, unless somebody forces it. `out`: it is never installed here. `deleted`: nor is that, because
   * somebody said so.
   */
  readonly state: 'next' | 'later' | 'skipped' | 'out' | 'deleted'
  /** What it waits for, or why it is not installed (G13). */
  readonly reason?: string
  /** It does not wait for the window, because somebody said so (A66). */
  readonly forced?: true
}

/** The most versions that are shown of one queue. The last ones matter most. */
const mostShown = 16

/**
 * Returns a queue for people and scripts: what waits on a site, in order, and why.
 * @param leaving what the next one no longer has, if all else of it is there already
 */
export function queueView(
  queue: readonly Queued[],
  next: NextUpgrade,
  closedWindow: Held | undefined,
  leaving: readonly string[] = [],
): readonly QueuedVersion[] {
  const steps: readonly Queued[] = next.kind === 'go' ? next.steps : []
  const isWanted = (entry: Queued) => entry === queue.at(-1)
  const window = closedWindow === undefined ? {} : { reason: closedWindow.reason }
  return queue.slice(-mostShown).map((entry): QueuedVersion => {
    const { version, bar, isForced } = entry
    const told = { version, ...(isForced === true ? { forced: true as const } : {}) }
    if (bar !== undefined)
      return { ...told, state: bar.is === 'deleted' ? 'deleted' : 'out', reason: bar.reason }
    const at = steps.indexOf(entry)
    if (at > 0) return { ...told, state: 'later' }
    if (at === 0 && leaving.length > 0) return { ...told, state: 'next', reason: leavingText(leaving) }
    if (at === 0) return { ...told, state: 'next', ...(next.kind === 'go' && next.isForced ? {} : window) }
    if (!isWanted(entry)) return { ...told, state: 'skipped' }
    return next.kind === 'no-way'
      ? { ...told, state: 'next', reason: next.reason }
      : { ...told, state: 'later', ...window }
  })
}

/** The most names in one reason. */
const mostNames = 3

function leavingText(services: readonly string[]): string {
  return `is here; another one follows once what it no longer has is removed: ${firstAndMore(services, mostNames)}`
}
