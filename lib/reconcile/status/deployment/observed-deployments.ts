import type { DeploymentTurn } from '../../fleet/turns.ts'
import type { ApplicationStatus } from '../application/application-status.ts'
import { type DeploymentSource, type DeploymentStatus, withoutVersion } from './deployment-status.ts'
import { named } from './deployment-words.ts'
import { seenOnSites } from './site-reasons.ts'

/**
 * Returns the deployments of which nothing is on record, because this process does not bring them on: another one writes
 * to their sites, or nobody knows yet who does (D17). What is told is what was seen on the sites.
 * @param known the names of those that are on record
 */
export function observedDeployments(
  turns: readonly DeploymentTurn[],
  known: ReadonlySet<string>,
  source: DeploymentSource,
): readonly DeploymentStatus[] {
  const { theirs = new Set<string>() } = source
  const seenOf = seenOnSites(source)
  return turns
    .filter(({ deployment }) => !known.has(deployment.name))
    .map(({ deployment, sites, run, refused }) => {
      const { name, application } = deployment
      const version = run?.of.version ?? deployment.version
      const seen = seenOf(application)
      const left = [...sites].filter(site => !hasIt(seen.on.get(site), version))
      const done = sites.size - left.length
      return {
        name,
        application,
        ...(version === undefined ? {} : { version }),
        state: refused === undefined ? 'waiting' : 'refused',
        reason: refused?.message ?? whoWrites([...sites].filter(site => theirs.has(site))),
        sites: { done, now: 0, toCome: left.length },
        batches: [],
        left: left.map(site => withoutVersion(site, seen)),
      }
    })
}

function hasIt(seen: ApplicationStatus | undefined, version: string | undefined): boolean {
  return (
    seen !== undefined && seen.health === 'Healthy' && (version === undefined || seen.version === version)
  )
}

function whoWrites(theirs: readonly string[]): string {
  return theirs.length === 0
    ? 'it is not known yet who writes to its sites'
    : `another tallyman writes to ${named(theirs)}, and brings it on`
}
