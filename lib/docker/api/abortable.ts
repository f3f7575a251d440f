/**
 * Returns the result of the promise, or rejects with the signal's reason as soon as it aborts, whichever comes first.
 * Every call of an engine waits in it twice, so it keeps as little as possible.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject)
  })
}
