import pRetry from 'p-retry'
import type { Engine, Scope } from '../engine.ts'
import { toFailure } from '../errors.ts'
import type { Log } from '../log.ts'
import { every } from '../timer.ts'

/** How long an engine may say nothing before it is asked whether it is still there. */
const silentMs = 60_000

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
    await hear(engine, scope, onEvent, signal)
  }
  const onFailedAttempt = ({ error }: { readonly error: Error }) =>
    log.debug('the events of the engine are interrupted', { site: engine.site, reason: error.message })
  const forever = { retries: Number.POSITIVE_INFINITY, minTimeout: 500, maxTimeout: 30_000, randomize: true }
  await pRetry(listen, { ...forever, signal, onFailedAttempt }).catch(error => {
    if (!signal.aborted) throw error
  })
}

/** Listens until the connection is lost. One over which nothing comes may be lost without a word, so the engine is asked. */
async function hear(engine: Engine, scope: Scope, onEvent: () => void, signal: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const both = AbortSignal.any([signal, lost.signal])
  let isHeard = false
  const ask = async () => {
    const wasHeard = isHeard
    isHeard = false
    if (wasHeard) return
    await engine.info(both).catch(error => lost.abort(toFailure(error)))
  }
  const timer = every(silentMs, () => void ask())
  try {
    await engine.watch(
      scope,
      () => {
        isHeard = true
        onEvent()
      },
      both,
    )
    if (!signal.aborted) lost.signal.throwIfAborted()
  } finally {
    timer.cancel()
  }
}
