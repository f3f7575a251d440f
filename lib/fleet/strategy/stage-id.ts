import { hashOf } from '../../state/canonical.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'

/**
 * Returns the id under which a person lets the sites after the canaries follow, in the form of the id of a plan (X20).
 * Another run has another one.
 * @param number how many times canaries were drawn in the run: if they changed, the person is asked about others
 */
export function stageId(
  { id, environment, application, version, atMs }: DeploymentRun,
  number: number,
): string {
  const stage = ['after the canaries', number]
  return hashOf({ stage, id, environment, application, version, atMs }).slice(0, 16)
}
