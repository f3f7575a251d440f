import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'

/**
 * Returns an engine that answers, through which images are resolved: the first one that does, so that a silent site
 * holds up nobody (G17). A single site is returned without asking it.
 */
export async function reachableEngine(engines: readonly Engine[], signal: AbortSignal): Promise<Engine> {
  const [first, ...others] = engines
  if (first === undefined) throw new Failure('config-invalid', 'no site runs this environment')
  if (others.length === 0) return first
  const answers = engines.map(async engine => {
    await engine.info(signal)
    return engine
  })
  return Promise.any(answers).catch(() => first)
}
