import { type After, type Change, keyOf } from '../change/change.ts'
import { stepsOf } from '../step/step.ts'

/**
 * What replaces the tasks of a Swarm node by node is carried out alone: after all that comes before it, and before all that
 * comes after it. As soon as anything else starts or ends on a node, the Swarm replaces at once whatever is outdated
 * there, on however many nodes that is: a release that crashes would be on all of them.
 * @param ordered in an order in which they can be carried out; held changes stay as they are
 */
export function nodeByNode(ordered: readonly Change[]): readonly Change[] {
  if (!ordered.some(isByNode)) return ordered
  /** What has to end first: all since the last one that is carried out alone, and that. */
  let since: After[] = []
  let alone: readonly After[] = []
  return ordered.map(change => {
    if (change.held !== undefined) return change
    const isAlone = isByNode(change)
    const after = withMore(change.after, isAlone ? since : alone)
    const own: After = { key: keyOf(change), must: 'end' }
    if (isAlone) [since, alone] = [[own], [own]]
    else since.push(own)
    return after === change.after ? change : { ...change, after }
  })
}

/** Whether it gives another specification to a service of a Swarm that runs one task on each node. */
function isByNode({ held, stages }: Change): boolean {
  return (
    held === undefined &&
    stages.some(stage =>
      stepsOf(stage, 'update-service').some(({ placement }) => placement.runs.replicas === 'global'),
    )
  )
}

function withMore(after: readonly After[], more: readonly After[]): readonly After[] {
  const known = new Set(after.map(({ key }) => key))
  const added = more.filter(({ key }) => !known.has(key))
  return added.length === 0 ? after : [...after, ...added]
}
