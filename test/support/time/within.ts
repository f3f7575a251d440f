/**
 * What a promise comes to. Rejects after a time with words that are made then, so that what hangs is named, and not only
 * that a test took too long.
 */
export async function within<T>(
  limitMs: number,
  promise: Promise<T>,
  words: () => Promise<string>,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => words().then(text => late.reject(new Error(`after ${limitMs} ms: ${text}`)), late.reject),
    limitMs,
  )
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
