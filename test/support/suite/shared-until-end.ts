/** The one thing here that is remembered: what is disposed of after the last test of this process. */
const shared = { stack: new AsyncDisposableStack() }

/**
 * Returns what starts something at the first call and has the same one from then on, whichever file of this process asks.
 * It ends after the last test.
 */
export function sharedUntilEnd<T extends AsyncDisposable>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= start().then(one => shared.stack.use(one))
    return started
  }
}

/** Ends all of that. */
export async function endShared(): Promise<void> {
  const { stack } = shared
  shared.stack = new AsyncDisposableStack()
  await stack.disposeAsync()
}
