import { hash } from 'node:crypto'

type Lot = { readonly site: string; readonly lot: string }

/**
 * Returns at most `size` of these sites, at random (A32). Equal arguments draw equally, whatever version of Tallyman draws.
 * Each batch draws among all sites that are left, so no more of them are put in order than are drawn, give or take.
 * @param seed of the run
 * @param number of the batch in the run
 */
export function drawBatch(
  from: readonly string[],
  size: number,
  { seed, number }: { readonly seed: number; readonly number: number },
): readonly string[] {
  let lots: Lot[] = []
  let most = last
  const begin = `[${seed},${number},`
  for (const site of from) {
    // The canonical spelling of the three. A character for each byte takes half of what two digits do.
    const lot = hash('sha256', `${begin}${JSON.stringify(site)}]`, 'binary')
    if (lot > most) continue
    lots.push({ site, lot })
    if (lots.length <= 2 * size) continue
    lots = least(lots, size)
    most = lots.at(-1)?.lot ?? last
  }
  return least(lots, size).map(({ site }) => site)
}

/** No lot comes after it. */
const last = '\uffff'

function least(lots: readonly Lot[], size: number): Lot[] {
  return lots.toSorted((a, b) => (a.lot < b.lot ? -1 : 1)).slice(0, size)
}
