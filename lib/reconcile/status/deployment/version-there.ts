import type { ApplicationStatus } from '../application/application-status.ts'

/**
 * Returns the version of an application that is on a site, also if its containers are down; undefined: none is. Where
 * nothing is, the status tells the version that is wanted.
 */
export function versionThere({
  running,
  health,
  version,
  wantedVersion,
}: ApplicationStatus): string | undefined {
  return running === 0 && health === 'Missing' && wantedVersion === undefined ? undefined : version
}
