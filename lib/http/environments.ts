import { Failure } from '../errors.ts'
import type { Controlled } from './controlled.ts'

/** The environment that is named, or the only one. Fails with `wrong-usage`. */
export function findEnvironment(running: readonly Controlled[], environment: unknown): Controlled {
  const [only, ...others] = running
  if (environment === undefined && only !== undefined && others.length === 0) return only
  const found = running.find(one => nameOf(one) === environment)
  if (found !== undefined) return found
  throw new Failure(
    'wrong-usage',
    environment === undefined
      ? 'several environments run here; name one'
      : `environment ${String(environment)} does not run here`,
    { hint: `There are: ${running.map(nameOf).join(', ')}.` },
  )
}

/** As configured, or as the repository has it; empty while neither says. */
export function nameOf({ world, loop }: Controlled): string {
  return loop.state().last?.desired?.environment ?? world.environment ?? ''
}
