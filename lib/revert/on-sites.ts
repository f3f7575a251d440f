import { posix } from 'node:path'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import { documentNameOf } from '../state/repository/layout.ts'
import { statedFacts } from './facts.ts'
import { filesOfSites } from './of-environment.ts'
import { restored, type Side } from './side.ts'

/**
 * Returns the sites on which an application would not be as it was then, because of what they have of their own, by
 * name. Pure.
 */
export function sitesThatDiffer(
  application: string,
  then: DesiredState,
  after: DesiredState,
): readonly string[] {
  const sites = new Set([...(then.variants?.keys() ?? []), ...(after.variants?.keys() ?? [])])
  const differs = (site: string) =>
    saidOn(site, application, then).join() !== saidOn(site, application, after).join()
  return [...sites].filter(differs).sort()
}

/** Returns the files of these sites that are not as they were, and that can say something about an application. */
export async function filesThatDiffer(
  { directory, application, sites }: OnSites,
  now: Side,
  then: Side,
): Promise<readonly string[]> {
  const places = sites.map(site => `${posix.join(directory, 'sites', site)}/`)
  const paths = [...(await filesOfSites(directory, now)), ...(await filesOfSites(directory, then))]
  const meant = paths
    .filter(path => places.some(place => path.startsWith(place)))
    .filter(
      path =>
        posix.basename(posix.dirname(path)) !== 'applications' ||
        documentNameOf(posix.basename(path)) === application,
    )
  return [...(await restored(meant, now, then)).keys()].sort()
}

/** An application on some sites of the environment in a directory. */
type OnSites = {
  readonly directory: string
  readonly application: string
  readonly sites: readonly string[]
}

function saidOn(site: string, application: string, state: DesiredState): readonly string[] {
  const { variants: _, ...own } = variantFor(state, site)
  return statedFacts(own, application)
    .filter(({ about, what }) => about === application && kinds.includes(what))
    .map(({ what, text }) => `${what} ${text}`)
    .sort()
}

const kinds = ['application', 'blocked', 'idle']
