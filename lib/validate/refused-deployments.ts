import { type Problem, upTo } from '../errors.ts'
import { isNowhere, placementOf } from '../fleet/placement.ts'
import { limits } from '../limits.ts'
import type { DeploymentFile } from '../spec/deployment/parse.ts'
import type { Deployment } from '../state/fleet/deployment.ts'
import type { SiteLabels } from '../state/fleet/labels.ts'

/**
 * Returns the deployments that cannot be carried out on the sites of an environment as they are labelled: without a
 * canary among their sites (A31), or without a site, which removes nothing by mistake (G4). They are warnings: the sites
 * may get other labels, and an application that runs nowhere loses nothing.
 * @param here the sites that run the environment; if there are none, nothing is told
 */
export function warningsOnRefused(
  files: Iterable<DeploymentFile>,
  deployments: readonly Deployment[],
  here: ReadonlyMap<string, SiteLabels>,
): readonly Problem[] {
  if (here.size === 0) return []
  const used = new Set(deployments)
  const sites = [...here].map(([name, labels]) => ({ name, labels }))
  const problems = [...files].flatMap((file): readonly Problem[] => {
    if (file.state !== 'valid' || !used.has(file.deployment) || isNowhere(file.deployment)) return []
    const { deployment, placementAt, canaryAt } = file
    const placed = placementOf(deployment, sites)
    const told = (reason: string, position: Problem['position']): Problem => ({
      code: 'deployment-refused',
      message: `the deployment ${deployment.name} ${reason}`,
      ...(position === undefined ? {} : { position }),
    })
    if (placed.kind === 'refused') return [told(placed.reason, canaryAt)]
    if (placed.sites.length > 0) return []
    return [told('means no site, and is refused if its application runs on one', placementAt)]
  })
  return upTo(problems, limits.problemsOfFile)
}
