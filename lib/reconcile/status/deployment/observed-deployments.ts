import { byText } from '../../../text/order.ts'
import { betweenParts, inPieces } from '../../concurrency/in-pieces.ts'
import type { Pacing } from '../../concurrency/pacing.ts'
import type { DeploymentTurn } from '../../fleet/turns.ts'
import type { ApplicationStatus } from '../application/application-status.ts'
import { type DeploymentSource, type DeploymentStatus, deploymentStatuses } from './deployment-status.ts'
import { named } from './deployment-words.ts'
import { type SeenOnSites, seenOnSites } from './site-reasons.ts'
import { withoutVersion } from './site-without.ts'
import { onlyVersionOn } from './version-there.ts'

/**
 * Returns the deployments of an environment: those that this process brings on as they are on record, and the others as
 * their sites are. Where another process writes to all sites that are reached, what is on record may be what this one
 * did before, or what it would do now: it says nothing of where the deployment stands, and no word for it is taken here
 * (D17).
 *
 * @param source `turns`: what the deployments mean for the sites, as this process sees it; absent: that is not known
 * @param goOn waited for between two of them, and before the first if there are very many applications
 */
export async function allDeployments(
  { turns = [], ...source }: DeploymentSource & { readonly turns?: readonly DeploymentTurn[] },
  goOn: Pacing['goOn'],
): Promise<readonly DeploymentStatus[]> {
  const theirs = new Set(
    turns.filter(turn => isTheirs(turn, source)).map(({ deployment }) => deployment.name),
  )
  const seenOf = seenOnSites(source)
  await betweenParts(source.applications, goOn)
  const known = (await deploymentStatuses(source, seenOf, goOn)).filter(({ name }) => !theirs.has(name))
  const names = new Set(known.map(({ name }) => name))
  const observed = turns.filter(({ deployment }) => !names.has(deployment.name))
  const others = await inPieces(observed, observedIn(source, seenOf), goOn, 1)
  return [...known, ...others].sort(byText(({ name }) => name))
}

function isTheirs({ sites }: DeploymentTurn, { theirs = new Set(), unreached }: DeploymentSource): boolean {
  const all = [...sites]
  return all.some(site => theirs.has(site)) && all.every(site => theirs.has(site) || unreached.has(site))
}

/**
 * Returns what tells of a deployment of which nothing is told from the record, because this process does not bring it on:
 * another one writes to its sites, or nobody knows yet who does (D17). What is told is what was seen on the sites.
 */
function observedIn(
  { theirs = new Set() }: DeploymentSource,
  seenOf: (application: string) => SeenOnSites,
): (turn: DeploymentTurn) => DeploymentStatus {
  return ({ deployment, sites, run, refused }) => {
    const { name, application } = deployment
    const seen = seenOf(application)
    const version = run?.of.version ?? deployment.version ?? onlyVersionOn(sites, seen)
    const left = [...sites].filter(site => !hasIt(seen.on.get(site), version))
    const done = sites.size - left.length
    return {
      name,
      application,
      ...(version === undefined ? {} : { version }),
      state: refused !== undefined ? 'refused' : left.length === 0 ? 'done' : 'waiting',
      reason:
        refused?.message ??
        whoWrites(
          [...sites].filter(site => theirs.has(site)),
          left.length === 0,
        ),
      sites: { done, now: 0, toCome: left.length },
      batches: [],
      left: left.map(site => withoutVersion(site, seen)),
    }
  }
}

function hasIt(seen: ApplicationStatus | undefined, version: string | undefined): boolean {
  return (
    seen !== undefined && seen.health === 'Healthy' && (version === undefined || seen.version === version)
  )
}

function whoWrites(theirs: readonly string[], isDone: boolean): string {
  if (theirs.length === 0) return 'it is not known yet who writes to its sites'
  return `another tallyman writes to ${named(theirs)}${isDone ? '' : ', and brings it on'}`
}
