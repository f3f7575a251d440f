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

/** How often it is measured: what else the process does, such as to free memory, only adds to it, so the least counts. */
const turns = 3

async function microsecondsOf(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < turns; turn += 1) least = Math.min(least, await measure(work))
  return least
}

/** Of the user and of the system together: the two are told apart by samples, and of something short one may be 0. */
async function measure(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let times = 1; ; times += 1) {
    await work()
    const { user, system } = process.cpuUsage(before)
    if (user + system >= measurable) return (user + system) / times
  }
}
