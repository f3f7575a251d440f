import { hashOf } from '../../state/canonical.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'

/**
 * Returns the id under which a person lets the sites after the canaries follow, in the form of the id of a plan (X20).
 * Another run has another one.
 */
export function stageId({ id, environment, application, version, atMs }: DeploymentRun): string {
  return hashOf({ stage: 'after the canaries', id, environment, application, version, atMs }).slice(0, 16)
}
