import { isDeepStrictEqual } from 'node:util'
import { steadyMs } from '../../clock.ts'
import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { ServiceSpec, Task, ToldService } from '../api/service.ts'
import { nodesText } from '../observe/nodes.ts'
import type { Standing } from '../observe/task/standing.ts'
import { findService } from '../service/find.ts'
import { type Manager, putSpec } from './apply-service.ts'

/** How long a task that was given up may take to end on a node that is there, in ms. */
const endsWithinMs = 10_000

/** Returns what picks, of the tasks that were given up, those that have been for longer than one may take to end. */
export function lastingTasks(): (abandoned: readonly Task[]) => readonly Task[] {
  const sinceMs = new Map<string, number>()
  return abandoned => {
    const atMs = steadyMs()
    return abandoned.filter(({ ID }) => {
      const fromMs = sinceMs.get(ID) ?? atMs
      sinceMs.set(ID, fromMs)
      return atMs - fromMs >= endsWithinMs
    })
  }
}

/**
 * Returns what tells whether an update does not go on: of each task, the Swarm waits until it runs, also of one that it has
 * given up because its node went away just then. It waits for so many at a time. The same tasks count once.
 */
export function heldUpBy(
  parallelism: number,
): (seen: Pick<ToldService, 'UpdateStatus'>, standing: HeldUp) => boolean {
  const known = new Set<string>()
  return ({ UpdateStatus }, { running, wanted, abandoned }) => {
    const ids = abandoned.map(({ ID }) => ID).filter(id => !known.has(id))
    const isUpdating = UpdateStatus?.State === 'updating' && running < wanted
    if (!isUpdating || parallelism === 0 || ids.length < parallelism) return false
    for (const id of ids) known.add(id)
    return true
  }
}

type HeldUp = Pick<Standing, 'running' | 'wanted' | 'abandoned'>

/**
 * Has the Swarm begin an update anew, which leaves out nodes that are not there. It only does so for another
 * specification: it gets the one before for a moment, which therefore stays the one that a failure puts back. A task that
 * was replaced already may be replaced once more. Fails with `service-changed` if somebody changes it at the same time.
 */
export async function beginAnew(
  manager: Manager,
  there: ToldService,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { Spec, PreviousSpec } = there
  if (PreviousSpec === undefined) return
  await exchange(manager, there, PreviousSpec, provenance, signal)
  const before = await findService(manager.client, Spec.Name, provenance, signal)
  if (before !== undefined) await exchange(manager, before, Spec, provenance, signal)
}

/** How often a service may be written to by others in between. */
const mostTries = 5

/**
 * Gives a service another specification, also if it was written to since it was looked at, as long as its specification is
 * the same: the Swarm writes there how its update goes.
 */
async function exchange(
  manager: Manager,
  there: ToldService,
  body: ServiceSpec,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  let now: ToldService | undefined = there
  for (let tried = 1; now !== undefined; tried += 1)
    try {
      return await putSpec(manager, now, body, provenance, signal)
    } catch (error) {
      const isOvertaken = error instanceof Failure && error.code === 'service-changed'
      if (!isOvertaken || tried === mostTries) throw error
      now = await findService(manager.client, there.Spec.Name, provenance, signal)
      if (now !== undefined && !isDeepStrictEqual(now.Spec, there.Spec)) throw error
    }
}

/** Returns what an update waits for in vain, in words; undefined: nothing. Names the nodes. */
export async function waitsInVain(
  { client, known }: Pick<Manager, 'client' | 'known'>,
  abandoned: readonly Task[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (abandoned.length === 0) return undefined
  const where = await nodesText(client, known.nodes, abandoned, signal)
  return `the Swarm waits for a task that cannot run${where === '' ? '' : `, on ${where}`}`
}
