/**
 * Returns how many times as much processor time something takes for ten times as much: about 10 if it looks at each thing
 * once, and about 100 if it looks at all of them for each one.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  const small = await microsecondsOf(() => work(size))
  return (await microsecondsOf(() => work(size * 10))) / small
}

async function microsecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return process.cpuUsage(before).user
}
