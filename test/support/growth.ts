/**
 * Returns how many times as much processor time something takes for ten times as much: about 10 if it looks at each thing
 * once, and about 100 if it looks at all of them for each one. The work is done several times, and must be the same each
 * time.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  const small = await microsecondsOf(() => work(size))
  return (await microsecondsOf(() => work(size * 10))) / small
}

/** What takes less is done again until it took this long. */
const measurable = 10_000

/** So long is measured, again and again: what else the process does only adds to it, so the least counts. */
const enough = 50_000

async function microsecondsOf(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let spent = 0; spent < enough; ) {
    const { all, each } = await measure(work)
    spent += all
    least = Math.min(least, each)
  }
  return least
}

/** Of the user and of the system together: the two are told apart by samples, and of something short one may be 0. */
async function measure(work: () => unknown): Promise<{ readonly all: number; readonly each: number }> {
  const before = process.cpuUsage()
  for (let times = 1; ; times += 1) {
    await work()
    const { user, system } = process.cpuUsage(before)
    if (user + system >= measurable) return { all: user + system, each: (user + system) / times }
  }
}
