import type { Service } from '../../state/application/application.ts'
import type { Action } from '../change/change.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import type { LiveInstance } from '../compare/instance/instance.ts'
import { isRunOfJob } from '../step/run-of-job.ts'
import { create } from './create.ts'
import { earlyOf, earlyReason, onceStopped } from './early.ts'
import { whyRecreate } from './exclusive.ts'
import { recreate } from './recreate.ts'
import { remove } from './remove.ts'
import { repair } from './repair.ts'
import { rolling } from './rolling.ts'
import type { Rollout, Stages } from './rollout.ts'
import { isOnSwarm, isScaling } from './swarm/on-swarm.ts'
import { swarmRemoval } from './swarm/swarm-restore.ts'
import { swarmRollout } from './swarm/swarm-rollout.ts'

type Choice = { readonly action: Action; readonly rollout: Rollout }

/** Decides what to do about a difference, and how. */
export function choose(difference: Difference): Choice {
  if (difference.kind === 'orphaned')
    return { action: 'remove', rollout: removal(difference, difference.reason) }
  if (difference.target === 'absent')
    return { action: 'remove', rollout: removal(difference, 'no instances wanted') }
  const early = earlyOf(difference)
  // Of what runs too early, a Swarm would start the tasks again.
  const isOfSwarm = isOnSwarm(difference)
  const isFirst = difference.isFirst === true && (early.length === 0 || !isOfSwarm)
  const { action, rollout } = chooseFor(isFirst && !isOfSwarm ? allOfAttempt(difference) : difference, early)
  const isKept = isFirst || action === 'remove'
  return { action, rollout: isKept ? rollout : withoutReturn(difference, rollout) }
}

/** Returns the removal of all that is there of a service. */
export function removal(difference: Difference, why: string): Rollout {
  const { surplus, begun, leftOver } = difference
  const jobs = [...begun, ...leftOver]
  return isOnSwarm(difference) ? swarmRemoval(surplus, jobs, why) : remove(surplus, jobs, why)
}

function chooseFor(difference: DeclaredDifference, early: readonly LiveInstance[]): Choice {
  const { declared, missing, matched, surplus, faults } = difference
  const { service } = declared
  const stopped = onceStopped(difference, early, service)
  if (isOnSwarm(difference))
    return {
      action: isScaling(stopped)
        ? 'scale'
        : surplus.length > 0
          ? 'replace'
          : missing.length > 0
            ? 'create'
            : 'run',
      rollout: swarmRollout(stopped, service),
    }
  if (surplus.length === 0 && early.length > 0)
    return {
      action: missing.length > 0 ? 'create' : 'start',
      rollout: recreate(stopped, service, earlyReason, early),
    }
  if (surplus.length === 0) {
    if (faults.length > 0) return { action: 'start', rollout: repair(difference, service) }
    const isOnlyJobs = missing.length === 0
    return { action: isOnlyJobs ? 'run' : 'create', rollout: create(difference, service) }
  }
  const wanted = new Set(matched.map(({ wanted: { fingerprint } }) => fingerprint))
  // The rest of an interrupted rollout may consist of removals. It remains the rollout that was approved (D4).
  if (
    missing.length === 0 &&
    faults.length === 0 &&
    matched.every(({ since }) => since !== 'attempt') &&
    surplus.every(({ fingerprint }) => wanted.has(fingerprint))
  ) {
    const jobs = [...difference.begun, ...difference.leftOver]
    return { action: 'remove', rollout: remove(surplus, jobs, 'fewer instances wanted') }
  }
  return { action: 'replace', rollout: replace(stopped, service, early) }
}

/** Returns a difference in which an attempt made all that is there, so that undo removes it (G6). */
function allOfAttempt(difference: DeclaredDifference): DeclaredDifference {
  return { ...difference, matched: difference.matched.map(one => ({ ...one, since: 'attempt' })) }
}

/**
 * Says from where on nothing is restored: from the mid hook, or from the beginning if one has run. The old version may
 * be known only by what was applied, and made anew from that. At a first installation there is none, and whatever it made
 * is removed.
 */
function withoutReturn({ isPastReturn }: DeclaredDifference, rollout: Rollout): Rollout {
  const isMid = (stage: Stages[number]) => stage.some(step => isRunOfJob(step) && step.job === 'mid')
  const at = isPastReturn ? 0 : rollout.stages.findIndex(isMid)
  return at < 0 ? rollout : { ...rollout, noReturnAt: at }
}

/**
 * Rolling if nothing is exclusive, recreate otherwise. The specification may ask for recreate, but not for what is
 * impossible (D7).
 */
function replace(difference: DeclaredDifference, service: Service, early: readonly LiveInstance[]): Rollout {
  const why = saysStop(difference, service) ? 'upgrade-from says stop-and-restart' : whyRecreate(service)
  if (why !== undefined) return recreate(difference, service, why, early)
  const says =
    service.strategy.type === 'rolling' ? 'the specification says RollingUpdate' : 'nothing is exclusive'
  return rolling(difference, service, says)
}

/** Whether an upgrade path asks for it, and not the strategy of the service (A40). */
function saysStop(
  { beside, declared: { application } }: DeclaredDifference,
  { name, strategy }: Service,
): boolean {
  const own = application.services.find(one => one.name === name)
  return strategy.type === 'recreate' && (beside !== undefined || own?.strategy.type !== 'recreate')
}
