import type { ApplicationStatus } from '../application/application-status.ts'
import type { SeenOnSites } from './site-reasons.ts'

/**
 * Returns the version of an application that is on a site, also if its containers are down; undefined: none is. Where
 * nothing is, the status tells the version that is wanted.
 */
export function versionThere({
  running,
  health,
  version,
  wantedVersion,
}: Pick<ApplicationStatus, 'running' | 'health' | 'version' | 'wantedVersion'>): string | undefined {
  return running === 0 && health === 'Missing' && wantedVersion === undefined ? undefined : version
}

/** Returns the version that all of these sites have; undefined: they have none, or several. */
export function onlyVersionOn(sites: Iterable<string>, seen: SeenOnSites): string | undefined {
  const [only, ...others] = new Set([...sites].map(site => versionOn(site, seen)))
  return others.length > 0 || only === '' ? undefined : only
}

/** Returns the version of an application on a site; empty: none, or nobody knows. */
export function versionOn(site: string, seen: SeenOnSites): string {
  const found = seen.on.get(site)
  return (found && versionThere(found)) ?? ''
}
