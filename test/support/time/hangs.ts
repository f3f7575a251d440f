/**
 * What takes longer than so many milliseconds hangs. It is no measure of speed: one machine takes four times as long as
 * another, and a busy one longer still, so that only a defect gets near it.
 */
export const hangsAfterMs = 180_000

/** Ends what would hang. */
export function unlessItHangs(): AbortSignal {
  return AbortSignal.timeout(hangsAfterMs)
}

/**
 * What a promise comes to. If it hangs, rejects with words that are made then, so that what hangs is named, and not only
 * that a test took too long.
 */
export async function namedIfItHangs<T>(promise: Promise<T>, words: () => Promise<string>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => words().then(text => late.reject(new Error(`after ${hangsAfterMs} ms: ${text}`)), late.reject),
    hangsAfterMs,
  )
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
