import type { Strategy } from '../../state/application.ts'
import type { Strategy as Written } from '../application.gen.ts'
import { parseDuration } from '../grammar/duration.ts'
import { isNone, parseShare } from '../grammar/share.ts'
import type { Spot } from '../spot.ts'

/** How instances are replaced where nobody says otherwise (H25, D7). */
export function defaultStrategy(healthyMs: number): Strategy {
  return {
    type: 'auto',
    maxSurge: '25%',
    maxUnavailable: '25%',
    healthyMs,
    timeoutMs: 600_000,
    deadlineMs: usualDeadlineMs,
  }
}

const usualDeadlineMs = 6 * 60 * 60 * 1000

/** `strategy` of a service or an application; `maxSurge` and `maxUnavailable` are not both zero (H26). */
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
  return {
    type: type === undefined ? 'auto' : type === 'Recreate' ? 'recreate' : 'rolling',
    maxSurge,
    maxUnavailable,
    healthyMs:
      (healthy === undefined
        ? undefined
        : spot.at('rollingUpdate', 'healthyTime').take(parseDuration(healthy))) ?? standard.healthyMs,
    timeoutMs: seconds === undefined ? standard.timeoutMs : seconds * 1000,
    deadlineMs: deadline === undefined ? usualDeadlineMs : deadline * 1000,
  }
}

function readShare(written: string | number | undefined, spot: Spot): string | number {
  return (written === undefined ? undefined : spot.take(parseShare(written))) ?? '25%'
}
