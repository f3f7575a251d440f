import type { LiveContainer } from '../../state/running/live.ts'
import type { Change } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import type { Step } from '../step/step.ts'

/**
 * Makes changes that deploy wait for every running deploy of another service of their application. An interrupted pass
 * left it, and two deploys never work on the same files at once (P5). Deploys of its own service belong to its rollout.
 */
export function behindRunningDeploys(
  changes: readonly Change[],
  differences: readonly Difference[],
): readonly Change[] {
  const running = differences
    .flatMap(({ begun, leftOver }) => [...begun, ...leftOver])
    .filter(({ role, state }) => role === 'deploy' && state === 'running')
  if (running.length === 0) return changes
  const byApplication = Map.groupBy(running, ({ application }) => application)
  return changes.map(change => behind(change, byApplication.get(change.application) ?? []))
}

function behind(change: Change, running: readonly LiveContainer[]): Change {
  const { service, deploys, stages, noReturnAt } = change
  if (deploys === undefined) return change
  const others = running.filter(one => one.service !== service)
  const waits = others.map(({ engineName: container }): Step => ({ do: 'await-end', container }))
  if (waits.length === 0) return change
  return {
    ...change,
    stages: [waits, ...stages],
    ...(noReturnAt === undefined || noReturnAt === 0 ? {} : { noReturnAt: noReturnAt + 1 }),
  }
}
