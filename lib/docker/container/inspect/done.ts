import { label, labelOf } from '../../../state/labels.ts'
import type { Inspected } from './inspect.ts'

/** Exit codes of processes that were ended by SIGKILL and by SIGTERM, as whoever stops a container does. */
const stopped: readonly number[] = [137, 143]

/** Whether an app with this restart policy that ended by itself with this exit code is not started again (X5). */
export function isEnd(restart: string | undefined, exitCode: number): boolean {
  return restart === 'no' || (restart === 'on-failure' && exitCode === 0)
}

/**
 * Whether an app that may end has done so by itself since its sandbox was started (X5). What was stopped from outside,
 * and what ended before its sandbox was started, has not.
 */
export function isDoneIn(sandbox: Inspected, app: Inspected): boolean {
  const { Status, ExitCode, OOMKilled } = app.State
  const restart = labelOf(app.Config.Labels, label.restart)
  if (Status !== 'exited' || endedBefore(sandbox, app)) return false
  return isEnd(restart, ExitCode) && (OOMKilled || !stopped.includes(ExitCode))
}

/** Whether an app ended before its sandbox was started. Both times are the engine's. */
export function endedBefore(
  { State: { StartedAt } }: Inspected,
  { State: { FinishedAt } }: Inspected,
): boolean {
  return Date.parse(FinishedAt) < Date.parse(StartedAt)
}
