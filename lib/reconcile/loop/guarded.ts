import { toFailure } from '../../errors.ts'
import type { Log } from '../../log.ts'

/**
 * Returns a listener whose failure is logged: it must not end the loop that tells it.
 * @param failed what has failed then
 */
export function guarded<Told extends readonly unknown[]>(
  log: Log,
  failed: string,
  listener: (...told: Told) => void,
): (...told: Told) => void {
  return (...told) => {
    try {
      listener(...told)
    } catch (error) {
      const { message, code, hint } = toFailure(error)
      log.error(`${failed}: ${message}`, { code, hint })
    }
  }
}
