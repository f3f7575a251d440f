import type { Service } from '../../state/application/application.ts'
import type { Comparison, Match } from '../compare/comparison.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import { faultsOf } from '../compare/drift/faults.ts'
import { isUp, type LiveInstance } from '../compare/instance/instance.ts'
import { isMidDue } from './stage/jobs.ts'

/** Why what runs is stopped first, although it is wanted. */
export const earlyReason = 'a mid hook runs while nothing serves'

type Early = Pick<Comparison, 'matched' | 'jobs' | 'begun' | 'reached' | 'isRollout' | 'areJobsDone'>

/**
 * Returns the desired instances that run already although a mid hook has yet to run while nothing serves (H10): an
 * earlier attempt started them, and has failed or was interrupted. They stop before the hook, and start after it.
 */
export function earlyOf(comparison: Early): readonly LiveInstance[] {
  return isMidDue(comparison) ? comparison.matched.map(({ live }) => live).filter(isUp) : []
}

/** Returns a difference as the rollout of it finds it once what runs too early has stopped. */
export function midway(difference: Difference): Difference {
  const { declared } = difference
  return declared === undefined ? difference : onceStopped(difference, earlyOf(difference), declared.service)
}

/** Returns the difference as it is once these have stopped. The service of a Swarm has no tasks then. */
export function onceStopped(
  difference: DeclaredDifference,
  early: readonly LiveInstance[],
  service: Service,
): DeclaredDifference {
  if (early.length === 0) return difference
  const { matched, missing, surplus, faults } = difference
  const isEarly = ({ live }: Pick<Match, 'live'>) => early.includes(live)
  const others = matched.filter(one => !isEarly(one))
  if (early.some(({ containers }) => containers[0].runs !== undefined)) {
    const wanted = matched.filter(isEarly).map(one => one.wanted)
    return {
      ...difference,
      ...{ matched: others, missing: [...missing, ...wanted], surplus: [...surplus, ...early] },
    }
  }
  const stopped = matched.filter(isEarly).map(one => ({ ...one, live: stoppedInstance(one.live) }))
  // Gates concern only an ingress, which has no hooks.
  const later = stopped.flatMap(({ wanted, live }) => faultsOf(wanted, live, service, new Set()))
  return {
    ...difference,
    matched: [...others, ...stopped],
    faults: [...faults.filter(fault => !isEarly(fault)), ...later],
  }
}

function stoppedInstance({ containers: [first, ...others], ...instance }: LiveInstance): LiveInstance {
  return { ...instance, containers: [stoppedContainer(first), ...others.map(stoppedContainer)] }
}

/** What has ended by itself is left as it is, like what was never started. */
function stoppedContainer(container: LiveInstance['containers'][0]): LiveInstance['containers'][0] {
  return isUp({ number: 0, fingerprint: '', containers: [container] })
    ? { ...container, state: 'exited', exitCode: 0, health: 'none' }
    : container
}
