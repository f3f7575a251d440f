import type { Strategy } from '../../state/application/application.ts'
import { secondsText } from '../../text/time.ts'
import type { Strategy as Written } from '../application.gen.ts'
import { parseDuration } from '../grammar/duration.ts'
import { isNone, parseShare } from '../grammar/share.ts'
import type { Spot } from '../spot.ts'

/** Returns the default of how instances are replaced (H25, D7). */
export function defaultStrategy(healthyMs: number): Strategy {
  return {
    type: 'auto',
    maxSurge: '25%',
    maxUnavailable: '25%',
    healthyMs,
    timeoutMs: usualTimeoutMs,
    deadlineMs: usualDeadlineMs,
  }
}

/** The default time for one instance to pass its health gate. */
export const usualTimeoutMs = 600_000
const usualDeadlineMs = 6 * 60 * 60 * 1000

/**
 * Reads `strategy` of a service or an application. `maxSurge` and `maxUnavailable` must not both be zero (H26). Limits
 * that contradict each other are faults. A `healthyTime` that is only a default gives way to a limit that is written
 * here.
 */
export function readStrategy(written: Written | undefined, healthyMs: number, spot: Spot): Strategy {
  const standard = defaultStrategy(healthyMs)
  if (written === undefined) return standard
  const { type, rollingUpdate: rolling, recreate } = written
  if (type === 'Recreate' && rolling !== undefined)
    spot.at('rollingUpdate').fault('does not go with "type: Recreate"')
  if (type === 'RollingUpdate' && recreate !== undefined)
    spot.at('recreate').fault('does not go with "type: RollingUpdate"')
  const maxSurge = readShare(rolling?.maxSurge, spot.at('rollingUpdate', 'maxSurge'))
  const maxUnavailable = readShare(rolling?.maxUnavailable, spot.at('rollingUpdate', 'maxUnavailable'))
  if (isNone(maxSurge) && isNone(maxUnavailable))
    spot
      .at('rollingUpdate')
      .fault('has maxSurge and maxUnavailable both 0, so that nothing could ever be replaced')
  const healthy = rolling?.healthyTime
  const seconds = rolling?.timeoutSeconds ?? recreate?.timeoutSeconds
  const deadline = written.progressDeadlineSeconds
  if (deadline !== undefined && seconds !== undefined && deadline < seconds)
    spot
      .at('progressDeadlineSeconds')
      .fault(
        `is ${deadline}, below the ${seconds} of timeoutSeconds; a rollout takes at least as long as one instance`,
      )
  const timeoutMs = seconds === undefined ? standard.timeoutMs : seconds * 1000
  const deadlineMs = deadline === undefined ? usualDeadlineMs : deadline * 1000
  const limitMs = Math.min(timeoutMs, deadlineMs)
  return {
    type: type === undefined ? 'auto' : type === 'Recreate' ? 'recreate' : 'rolling',
    maxSurge,
    maxUnavailable,
    healthyMs:
      (healthy === undefined
        ? undefined
        : readHealthyTime(healthy, limitMs, spot.at('rollingUpdate', 'healthyTime'))) ??
      Math.min(standard.healthyMs, limitMs / 2),
    timeoutMs,
    deadlineMs,
  }
}

/**
 * Reads how long an instance has to run before it counts as healthy. This has to fit into the time that it may take.
 */
export function readHealthyTime(written: string, limitMs: number, spot: Spot): number | undefined {
  const healthyMs = spot.take(parseDuration(written))
  if (healthyMs !== undefined && healthyMs >= limitMs)
    spot.fault(
      `is ${written}, and an instance has ${secondsText(limitMs)} to pass its health gate, which it never could; shorten it, or raise timeoutSeconds`,
    )
  return healthyMs
}

function readShare(written: string | number | undefined, spot: Spot): string | number {
  return (written === undefined ? undefined : spot.take(parseShare(written))) ?? '25%'
}
