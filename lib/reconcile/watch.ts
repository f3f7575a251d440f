import pRetry from 'p-retry'
import type { Engine, Scope } from '../engine.ts'
import type { Log } from '../log.ts'

/**
 * Listens to an engine's events until the signal aborts, and connects again after every loss of the connection. Also
 * calls back whenever it begins to listen, because something may have been missed.
 */
export async function watchEngine(
  engine: Engine,
  scope: Scope,
  onEvent: () => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const listen = async () => {
    onEvent()
    await engine.watch(scope, onEvent, signal)
  }
  const onFailedAttempt = ({ error }: { readonly error: Error }) =>
    log.debug('the events of the engine are interrupted', { site: engine.site, reason: error.message })
  const forever = { retries: Number.POSITIVE_INFINITY, minTimeout: 500, maxTimeout: 30_000, randomize: true }
  await pRetry(listen, { ...forever, signal, onFailedAttempt }).catch(error => {
    if (!signal.aborted) throw error
  })
}
