import type { Change } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import type { Step } from '../step/step.ts'

/**
 * Makes a change that deploys wait for every running deploy of another service of its application. An interrupted pass
 * left it, and two deploys never work on the same files at once (P5). Deploys of its own service belong to its rollout.
 */
export function behindRunningDeploys(change: Change, differences: readonly Difference[]): Change {
  const { application, service, deploys, stages, noReturnAt } = change
  if (deploys === undefined) return change
  const running = differences
    .filter(other => other.application === application && other.service !== service)
    .flatMap(({ begun, leftOver }) => [...begun, ...leftOver])
    .filter(({ role, state }) => role === 'deploy' && state === 'running')
  const waits = running.map(({ engineName: container }): Step => ({ do: 'await-end', container }))
  if (waits.length === 0) return change
  return {
    ...change,
    stages: [waits, ...stages],
    ...(noReturnAt === undefined || noReturnAt === 0 ? {} : { noReturnAt: noReturnAt + 1 }),
  }
}
