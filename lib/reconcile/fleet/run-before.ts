import type { Stand, Wait } from '../../fleet/spread/stand.ts'
import type { DeploymentRun, RunFact } from '../../state/fleet/run.ts'
import { type ContentHashes, isSameContent } from './findings/contents.ts'

/**
 * A run is of one version. Another content of that version takes effect at once on the sites that have it (A11). If the
 * run is not done, it begins anew: nobody has proved that content, or it is the correction of what failed.
 */
export function isOf(
  run: DeploymentRun,
  wanted: Pick<DeploymentRun, 'version'> & ContentHashes,
  { wait, reached }: Stand,
  sites: readonly string[],
): boolean {
  // A pause says nothing about the version.
  const isEverywhere = wait.for === 'resume' && sites.every(site => reached.has(site))
  return (
    run.version === wanted.version &&
    (isSameContent(run.content, wanted) || wait.for === 'done' || isEverywhere)
  )
}

/**
 * Returns a run with what its version consists of now, if it takes that over: this process brings it on, and all sites have
 * the version. So a site that joins later gets what all have, and begins nothing (A11, A35).
 */
export function withContent(run: DeploymentRun, wanted: ContentHashes, isTaken: boolean): DeploymentRun {
  return !isTaken || isSameContent(run.content, wanted) ? run : { ...run, content: wanted.content }
}

/**
 * Returns the sites that may be on their way to the version of a run. What was last seen there says nothing: they are
 * drawn anew, or the next pass finds what they have.
 */
export function onTheirWay(
  { batches, reached, lost, begun }: Stand,
  facts: readonly RunFact[],
): ReadonlySet<string> {
  const failed = new Set(facts.flatMap(fact => (fact.kind === 'failed' ? [fact.site] : [])))
  const drawn = batches.at(-1)?.sites ?? []
  return new Set([...lost, ...begun, ...drawn.filter(site => !reached.has(site) && !failed.has(site))])
}

/**
 * Whether a run ended with a failure on a site that is to have something else now, so that it goes on: what is wrong on
 * that site alone is corrected there, and begins nothing anew (A33, A72). A pause holds that back, too.
 */
export function isCorrected(
  wait: Wait,
  contentOn: (site: string) => ContentHashes | undefined = () => undefined,
): boolean {
  if (wait.for !== 'correction' || wait.paused !== undefined) return false
  const [before, now] = [wait.failed.content, contentOn(wait.failed.site)]
  return before !== undefined && now !== undefined && !isSameContent(before, now)
}
