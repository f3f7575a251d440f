import { optional } from '../../object.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'
import type { Audience } from './subject.ts'

/** A deployment that is spoken about, and the newest run of its application. */
export type Deployed = {
  readonly name: string
  readonly application: string
  /** Absent: it has brought no version to its sites yet. */
  readonly run?: DeploymentRun
}

/** Returns the deployments of an environment that were carried out at least once. */
export function deploymentsOf(
  { journal }: Pick<Audience, 'journal'>,
  environment: string,
): readonly Deployed[] {
  return [...journal.placements(environment).values()].map(({ deployment: { name, application } }) => {
    return { name, application, ...optional('run', journal.run(environment, application)) }
  })
}

/**
 * Returns the deployment that a person means: the one of that name, or else the one of that application. What has its
 * name can then be said of each.
 * @param applications the names that mean an application first: a deployment of another one that has such a name is
 * refused since then, and what it brought before is not meant. Absent: the name is that of a deployment
 */
export function deploymentMeant<One extends Pick<Deployed, 'name' | 'application'>>(
  all: readonly One[],
  written: string | undefined,
  applications: readonly string[] = [],
): One | undefined {
  const ofApplication = all.find(({ application }) => application === written)
  if (written !== undefined && applications.includes(written)) return ofApplication
  return all.find(({ name }) => name === written) ?? ofApplication
}
