/** The middle one; between two, their mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const around = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return around.reduce((sum, value) => sum + value, 0) / around.length
}

/** How long it takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
