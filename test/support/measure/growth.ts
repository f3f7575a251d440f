/**
 * Returns how many times as much processor time something takes for ten times as much: about 10 if it looks at each thing
 * once, and about 100 if it looks at all of them for each one. The work is done several times, and must be the same each
 * time. What is too much is above `most`; what is far below it is known soon.
 */
export async function growth(
  work: (size: number) => unknown,
  size: number,
  most: number = mostInProportion,
): Promise<number> {
  const [small, large] = [leastOf(() => work(size)), leastOf(() => work(size * 10))]
  const ratio = () => large.least() / small.least()
  for (let turn = 0; turn < mostTurns; turn += 1) {
    // In turns: what slows this machine down for a while does so for both.
    await small.measure()
    await large.measure()
    if ((small.isKnown() && large.isKnown()) || (turn + 1 >= enough && isFarBelow(ratio(), most))) break
  }
  return ratio()
}

/**
 * What grows in proportion takes less than so many times as long for ten times as much, and what looks at all things for
 * each one takes more: as factors go, this is halfway between ten and a hundred.
 */
export const mostInProportion = 32

/**
 * Whether it is so far below the most that what slows a machine down for a while cannot be why. What seems too much is
 * measured again: that slows down the longer work more often, and may be all that is seen in a few turns.
 */
function isFarBelow(ratio: number, most: number): boolean {
  return ratio < most / 1.5
}

/** What takes less is done again until it took this long. */
const measurable = 10_000

/** Of so many that are about the same, none is by chance. */
const fewest = 3

/** A machine does not make the shorter work take several times as long so often. */
const enough = 2

/** On a machine that is never quiet for a moment, the least so far has to do. */
const mostTurns = 20

/** What comes this near to the least is as fast as it gets. */
const near = 1.1

/**
 * The processor time that something takes, measured again and again: what else the process and the machine do, such as to
 * free memory, only adds to it, so the least counts, and is known once two others came near to it.
 */
function leastOf(work: () => unknown) {
  const all: number[] = []
  const least = () => Math.min(...all)
  return {
    measure: async () => {
      all.push(await measure(work))
    },
    least,
    isKnown: () => all.filter(one => one <= least() * near).length >= fewest,
  }
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
