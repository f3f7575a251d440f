import type { Config } from '../../../config.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'
import type { Rules } from '../../../plan/hold/hold.ts'
import type { Windows } from '../../../state/fleet/window.ts'
import type { SiteWorld } from '../site.ts'

/**
 * Returns why nothing is upgraded on a site now, if its windows are closed, or when they close. They are asked only
 * about an upgrade.
 */
export async function windowOn(
  { world: { config, memory, nowMs }, engine }: SiteWorld,
  { differences }: DiffResult,
): Promise<Pick<Rules, 'closedWindow'> & { readonly closesMs?: number }> {
  const windows = windowsOf(config.sites).get(engine.site)
  if (windows === undefined || !differences.some(({ arrival }) => arrival === 'upgrade')) return {}
  const clock = memory.fleet.windows
  await clock.load([{ windows }])
  const atMs = nowMs()
  const state = clock.at(windows, atMs)
  if (state.isOpen) return optional('closesMs', clock.closesMs(windows, atMs))
  const { closedText } = await import('../../../fleet/window/window.ts')
  const { opens } = state
  const reason = closedText(state)
  return {
    closedWindow: { code: 'window-closed', reason, isQueued: true, ...optional('untilMs', opens?.ms) },
  }
}

/** Returns the upgrade windows of sites by name; undefined: a site is always open. */
export const windowsOf: (sites: Config['sites']) => ReadonlyMap<string, Windows | undefined> = onceFor(
  sites => new Map(sites.map(({ name, windows }) => [name, windows])),
)
