import { toFailure } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** Returns a listener whose failure is logged: it must not end the loop that tells it. */
export function guarded<Told extends readonly unknown[]>(
  log: Log,
  listener: (...told: Told) => void,
): (...told: Told) => void {
  return (...told) => {
    try {
      listener(...told)
    } catch (error) {
      const { message, code, hint } = toFailure(error)
      log.error(`the end of a pass was not told everywhere: ${message}`, { code, hint })
    }
  }
}
