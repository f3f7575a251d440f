/** So long is a name before a number is put behind it. Names of the specification may be a bit longer. */
const longest = 120

/**
 * Returns a name of the specification like the wanted one that is not taken, with a number behind it if need be (C3).
 * @param wanted lower-case letters, digits and dashes
 * @param first the number of the first one that is taken
 */
export function freeName(wanted: string, taken: ReadonlySet<string>, first: number): string {
  const name = wanted.replace(/-{2,}/g, '-').slice(0, longest).replace(/-$/, '')
  for (let number = first, free = name; ; number += 1) {
    if (!taken.has(free)) return free
    free = `${name}-${number}`
  }
}
