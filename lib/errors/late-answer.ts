import { Failure } from '../errors.ts'
import { secondsText } from '../text/time.ts'

/** Returns the failure of a call of an engine that took longer than it may. */
export function lateAnswer(site: string, limitMs: number): Failure {
  return new Failure(
    'engine-unreachable',
    `${site}: the Docker Engine did not answer within ${secondsText(limitMs)}`,
  )
}
