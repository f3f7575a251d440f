import { bytesText } from '../../../text/amount.ts'
import type { Task } from '../../api/service.ts'

/** The most reasons in one text. */
const mostReasons = 3

/**
 * Returns why tasks failed, each reason once, in the words of the Swarm. It knows neither that a task was ended because it
 * needed too much memory, nor, if the task then ended with 0, that its health check failed: what may be so is added.
 */
export function failureText(failed: readonly Task[]): string {
  return [...new Set(failed.map(reasonOf))].slice(0, mostReasons).join('; ')
}

/** What a task ends with that somebody kills. */
const killed = 137

function reasonOf({ Spec, Status }: Task): string {
  const { State, Err, ContainerStatus } = Status
  const words = Err || `ended (exit code ${ContainerStatus?.ExitCode ?? '?'})`
  const limit = Spec.Resources?.Limits?.MemoryBytes
  if (ContainerStatus?.ExitCode === killed && limit !== undefined && limit > 0)
    return `${words}, as if it needed more memory than its limit of ${bytesText(limit)}`
  const check = Spec.ContainerSpec?.Healthcheck?.Test?.[0]
  const isChecked = check !== undefined && check !== 'NONE'
  return State === 'complete' && isChecked ? `${words}, by itself or because its health check failed` : words
}
