import { hashOf } from '../../state/canonical.ts'
import type { BatchDrawn, DeploymentRun } from '../../state/fleet/run.ts'
import type { Stand } from './stand.ts'

/**
 * Returns the id under which a person lets others follow the last batch of a run, in the form of the id of a plan (X20).
 * Another run has another one, and so has another batch: if the canaries changed, the person is asked about others. And so
 * has another question: who let others follow healthy canaries did not say that they follow without any.
 */
export function nextBatchId(run: DeploymentRun, { wait, batches }: Pick<Stand, 'wait' | 'batches'>): string {
  const ofLast = nextBatchIds(run, batches).at(-1)
  return (wait.for === 'word' ? ofLast?.proved : ofLast?.unproved) ?? ''
}

/** The ids under which a person is asked after a batch: where it has proved the version, and where nobody proves it. */
export type NextBatchIds = { readonly proved: string; readonly unproved: string }

/** Returns the ids of each of these batches. */
export function nextBatchIds(
  { id, environment, application, version, atMs }: DeploymentRun,
  batches: readonly BatchDrawn[],
): readonly NextBatchIds[] {
  let canaries = 0
  return batches.map(({ isCanary }, index) => {
    if (isCanary === true) canaries += 1
    const stage = isCanary === true ? ['after the canaries', canaries] : ['after the batch', index + 1]
    const idOf = (...more: readonly string[]) =>
      hashOf({ stage: [...stage, ...more], id, environment, application, version, atMs }).slice(0, 16)
    return { proved: idOf(), unproved: idOf('unproved') }
  })
}

/** Whether a person is asked under an id about one of these. */
export function isNextBatch(id: string): (ids: NextBatchIds) => boolean {
  return ({ proved, unproved }) => id === proved || id === unproved
}
