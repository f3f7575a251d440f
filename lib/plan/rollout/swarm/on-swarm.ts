import type { Difference } from '../../compare/diff.ts'
import type { LiveInstance, WantedInstance } from '../../compare/instance/instance.ts'

/** Whether a service runs, or is to run, as one service of a Swarm. */
export function isOnSwarm({ missing, matched, surplus }: Difference): boolean {
  const live = [...matched.map(({ live }) => live), ...surplus]
  return (
    missing.some(({ instance }) => instance.runs !== undefined) ||
    live.some(({ containers }) => containers[0].runs !== undefined)
  )
}

/** Whether a service of a Swarm only gets another number of tasks, so that none is replaced. */
export function isScaling({
  surplus: [before],
  missing: [wanted],
  beside = [],
  isRollout,
}: Difference): boolean {
  return !isRollout && beside.length === 0 && isOfOtherNumber(before, wanted)
}

/** Whether nothing but the number of tasks is to be another one. */
export function isOfOtherNumber(
  before: LiveInstance | undefined,
  wanted: WantedInstance | undefined,
): boolean {
  const ran = before?.containers[0].runs
  const runs = wanted?.instance.runs
  return (
    before?.fingerprint === wanted?.fingerprint &&
    ran !== undefined &&
    ran.altered === undefined &&
    runs !== undefined &&
    ran.replicas !== runs.replicas &&
    ran.replicas !== 'global' &&
    runs.replicas !== 'global'
  )
}
