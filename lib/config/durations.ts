import type { TallymanConfiguration as File } from '../config.gen.ts'
import { parseDuration } from '../spec/grammar/duration.ts'
import { usualTimeoutMs } from '../spec/read/strategy.ts'
import { secondsText } from '../text/time.ts'
import type { NoteFault } from './listeners.ts'

/** How long Tallyman waits for something, in milliseconds. */
export type Durations = {
  readonly healthyMs: number
  /** To what longer healthy times of deployments are cut; absent: none is. */
  readonly longestHealthyMs?: number
  /** How long a site of a deployment may fail in a way that is tried again, before the deployment fails there. */
  readonly progressDeadlineMs: number
  readonly approvalExpiresMs: number
}

type Key = 'healthyTime' | 'longestHealthyTime' | 'progressDeadline' | 'approvalExpires'

/** Reads the durations, with those that the file leaves out. */
export function readDurations(file: Pick<File, Key>, fault: NoteFault): Durations {
  const duration = (key: Key, otherwise: string): number => {
    const parsed = parseDuration(file[key] ?? otherwise)
    if (parsed.ok) return parsed.value
    fault(`/${key}`, parsed.reason)
    return 0
  }
  const healthyMs = duration('healthyTime', '5s')
  const longest =
    file.longestHealthyTime === undefined ? {} : { longestHealthyMs: duration('longestHealthyTime', '0s') }
  const progressDeadlineMs = duration('progressDeadline', '1d')
  const approvalExpiresMs = duration('approvalExpires', '24h')
  if (healthyMs >= usualTimeoutMs)
    fault(
      '/healthyTime',
      `an instance has ${secondsText(usualTimeoutMs)} to pass its health gate where nobody says otherwise, and never could; shorten it`,
    )
  if (approvalExpiresMs === 0) fault('/approvalExpires', 'an approval that expires at once approves nothing')
  return { healthyMs, ...longest, progressDeadlineMs, approvalExpiresMs }
}
