import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'

/** An engine that answers; with one site that one, answering or not. Images are resolved through it. */
export async function reachableEngine(engines: readonly Engine[], signal: AbortSignal): Promise<Engine> {
  const [first, ...others] = engines
  if (first === undefined) throw new Failure('config-invalid', 'no site runs this environment')
  if (others.length === 0) return first
  const answers = await Promise.allSettled(engines.map(engine => engine.info(signal)))
  return engines.find((_, index) => answers[index]?.status === 'fulfilled') ?? first
}
