import pLimit from 'p-limit'

/**
 * In place of `it`, for the tests of one `describe` that share nothing: each one that runs lets those behind it begin,
 * so that at most `lanes` run at a time. What a test finds is told as its own; none outlives its `describe`.
 */
export function sideBySide(lanes = 3): (title: string, body: () => Promise<void>) => void {
  const limit = pLimit(lanes)
  const bodies: (() => Promise<void>)[] = []
  const begun = new Map<() => Promise<void>, Promise<void>>()

  function begin(body: () => Promise<void>): Promise<void> {
    const run = begun.get(body) ?? limit(body)
    // It is looked at when its turn comes.
    run.catch(() => undefined)
    begun.set(body, run)
    return run
  }

  after(async () => {
    await Promise.allSettled(begun.values())
  })

  return (title, body) => {
    const index = bodies.push(body) - 1
    it(title, async () => {
      const [own] = bodies.slice(index, index + 2 * lanes).map(begin)
      await own
    })
  }
}
