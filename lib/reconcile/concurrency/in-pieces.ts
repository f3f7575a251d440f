import type { Pacing } from './pacing.ts'

/** Of how many sites a turn of the event loop has a part at most: with twenty applications on each, some ten ms. */
const most = 100

/**
 * Returns what becomes of each value, in the same order. Of many, only so many in one turn of the event loop: what is told
 * of all sites does not keep passes and other requests waiting. Sites may come, change and go between the pieces.
 * @param size how many make a piece: fewer if each of them is about many sites
 */
export async function inPieces<Value, Made>(
  values: Iterable<Value>,
  make: (value: Value) => Made,
  goOn: Pacing['goOn'],
  size: number = most,
): Promise<readonly Made[]> {
  const made: Made[] = []
  for (const value of values) {
    if (made.length % size === 0 && made.length > 0) await goOn()
    made.push(make(value))
  }
  return made
}

/** Of how many applications all parts of what is told share a turn of the event loop: it is of one moment then. */
const mostTogether = 1_000

/** Lets others have a turn between two parts of what is told, if it is of very many applications. */
export async function betweenParts(applications: readonly unknown[], goOn: Pacing['goOn']): Promise<void> {
  if (applications.length > mostTogether) await goOn()
}
