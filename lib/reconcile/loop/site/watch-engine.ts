import pRetry from 'p-retry'
import type { Engine, EngineEvent, Scope } from '../../../engine.ts'
import { type Failure, toFailure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { ownNameText } from '../../../state/identity.ts'
import { type LinkedAbort, linkedAbort } from '../../../wait/linked-abort.ts'
import { every, later, sleep } from '../../../wait/timer.ts'

/** How long an engine may neither say nor answer anything before it is asked whether it is still there. */
const silentMs = 60_000

/** How long a connection has to last for the pauses to begin anew once it is lost. */
const lastingMs = 10_000

/** The pause until the next try. It doubles while no try succeeds. */
const [shortestPauseMs, longestPauseMs] = [500, 30_000]

/**
 * Listens to an engine's events until the signal aborts, and connects again after every loss of the connection. Also
 * calls back, without an event, each time when it has begun to listen, because something may have been missed before. Never rejects: what
 * no event tells is seen at the next poll.
 */
export async function watchEngine(
  engine: Engine,
  scope: Scope,
  onEvent: (event?: EngineEvent) => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const tell = ({ code, message }: Failure) =>
    log[code === 'internal' ? 'error' : 'debug']('the events of the engine are interrupted', {
      site: engine.site,
      reason: message,
    })
  /** Resolves if a connection is lost that has lasted, so that the pauses begin anew. */
  const listen = async () => {
    let hasLasted = false
    const timers = new DisposableStack()
    const onListening = () => {
      const timer = later(lastingMs, () => {
        hasLasted = true
      })
      timers.defer(() => timer.cancel())
      onEvent()
    }
    await hear(engine, scope, onEvent, onListening, signal)
      .catch((error: unknown) => {
        const failure = toFailure(error)
        if (!hasLasted) throw failure
        if (!signal.aborted) tell(failure)
      })
      .finally(() => timers.dispose())
  }
  const tries = {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: shortestPauseMs,
    maxTimeout: longestPauseMs,
    randomize: true,
    signal,
    onFailedAttempt: ({ error }: { readonly error: Error }) => tell(toFailure(error)),
  }
  while (!signal.aborted) {
    await pRetry(listen, tries)
      .then(() => sleep(shortestPauseMs, signal))
      .catch(ifStopped)
  }

  /** Only the signal ends the tries and the pauses. */
  function ifStopped(error: unknown): void {
    if (!signal.aborted) throw error
  }
}

/** The events of one site. */
export type SiteEvents = {
  /** Listens to the events of this environment from now on, and to no others. */
  follow(scope: Scope): void
  /** Resolves when nothing is listened to any more, once the signal aborted. */
  ended(): Promise<void>
}

/** Listens to the events of a site, of the environment that is wanted there by now: its name may change. */
export function siteEvents(
  engine: Engine,
  onEvent: (event?: EngineEvent) => void,
  log: Log,
  signal: AbortSignal,
): SiteEvents {
  let followed: { readonly name: string; readonly leaving: LinkedAbort } | undefined
  let ended = Promise.resolve()
  return {
    follow(scope) {
      const name = ownNameText(scope)
      if (followed?.name === name) return
      followed?.leaving.abort()
      const leaving = linkedAbort(signal)
      followed = { name, leaving }
      ended = ended
        .then(() => watchEngine(engine, scope, onEvent, log, leaving.signal))
        .finally(leaving[Symbol.dispose])
    },
    ended: () => ended,
  }
}

/**
 * Listens until the connection is lost. An engine that neither says nor answers anything may be gone without a word, so it
 * is asked. A stream that is lost beside calls that are answered is opened anew at the edge.
 */
async function hear(
  engine: Engine,
  scope: Scope,
  onEvent: (event: EngineEvent) => void,
  onListening: () => void,
  signal: AbortSignal,
): Promise<void> {
  using lost = linkedAbort(signal)
  const both = lost.signal
  let isHeard = false
  const ask = async () => {
    const wasHeard = isHeard
    isHeard = false
    if (wasHeard || engine.answeredWithin(silentMs)) return
    await engine.info(both).catch(error => lost.abort(toFailure(error)))
  }
  const timer = every(silentMs, () => void ask())
  try {
    const hearing = (event: EngineEvent) => {
      isHeard = true
      onEvent(event)
    }
    await engine.watch(scope, hearing, both, onListening)
    if (!signal.aborted) both.throwIfAborted()
  } finally {
    timer.cancel()
  }
}
