import type { Change } from './change.ts'
import type { Difference } from './diff.ts'
import type { Step } from './step.ts'

/**
 * A change that deploys waits first for every deploy of another service of its application that still runs: an
 * interrupted pass left it, and two never work on the same files at once (P5). Its own service's are its rollout's.
 */
export function behindRunningDeploys(change: Change, differences: readonly Difference[]): Change {
  const { site, application, service, deploys, stages, noReturnAt } = change
  if (deploys === undefined) return change
  const running = differences
    .filter(other => other.site === site && other.application === application && other.service !== service)
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
