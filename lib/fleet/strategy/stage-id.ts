import { hashOf } from '../../state/canonical.ts'
import type { BatchDrawn, DeploymentRun } from '../../state/fleet/run.ts'

/**
 * Returns the id under which a person lets others follow the last of these batches, in the form of the id of a plan
 * (X20). Another run has another one, and so has another batch: if the canaries changed, the person is asked about others.
 */
export function stageId(run: DeploymentRun, batches: readonly BatchDrawn[]): string {
  return stageIds(run, batches).at(-1) ?? ''
}

/** Returns such an id for each of these batches. */
export function stageIds(
  { id, environment, application, version, atMs }: DeploymentRun,
  batches: readonly BatchDrawn[],
): readonly string[] {
  let canaries = 0
  return batches.map(({ isCanary }, index) => {
    if (isCanary === true) canaries += 1
    const stage = isCanary === true ? ['after the canaries', canaries] : ['after the batch', index + 1]
    return hashOf({ stage, id, environment, application, version, atMs }).slice(0, 16)
  })
}
