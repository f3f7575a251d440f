/**
 * Returns the result of the promise, or rejects with the signal's reason as soon as it aborts, whichever comes first.
 * Every call of an engine waits in it twice, so it keeps as little as possible, and nothing once the promise is settled:
 * a signal may last as long as the process. With `Promise.race`, a promise that lasts as long would keep something of each.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject)
  })
}
