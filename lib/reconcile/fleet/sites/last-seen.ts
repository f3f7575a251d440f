import { optional } from '../../../object.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { versionThere } from '../../status/deployment/version-there.ts'
import type { World } from '../../world.ts'
import type { SeenOnSite } from '../memory/seen-sites.ts'
import { type KeptSite, keptSites } from './kept-sites.ts'

/** What was last seen on sites. */
export type LastSeen = {
  /** What was last seen of an application on a site that has it. */
  of(
    site: string,
    application: string,
  ): { readonly version: string; readonly isHealthy: boolean; readonly content?: string } | undefined
  /** Whether anything of an application was last seen on a site; `unknown`: nobody has looked at the site. */
  mayRun(site: string, application: string): boolean | 'unknown'
}

/**
 * Returns what was last seen of applications. They need not have been in sync: another version may have been wanted then.
 * Asks the journal only about sites that this process has not seen.
 */
export function lastSeenIn(world: World, desired: DesiredState): LastSeen {
  const { fleet } = world.memory
  const kept = keptSites(world, desired)
  const seenOn = (site: string): SeenOnSite | KeptSite => {
    const seen = fleet.seen.on(site)
    if (seen === undefined) return kept.of(site)
    kept.forget(site)
    return seen
  }
  return {
    of(site, name) {
      const { applications = [], contents, changed } = seenOn(site)
      if (fleet.seen.isChanged(site, name) || changed?.includes(name)) return undefined
      const found = applications.find(({ application }) => application === name)
      const version = found && versionThere(found)
      if (found === undefined || version === undefined) return undefined
      return { version, isHealthy: found.health === 'Healthy', ...optional('content', contents?.[name]) }
    },
    mayRun(site, name) {
      const { applications, changed } = seenOn(site)
      if (applications === undefined) return 'unknown'
      if (fleet.seen.isChanged(site, name) || changed?.includes(name)) return true
      return applications.some(({ application, health }) => application === name && health !== 'Missing')
    },
  }
}
