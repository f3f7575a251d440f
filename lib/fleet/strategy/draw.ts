import { hashOf } from '../../state/canonical.ts'

/**
 * Returns at most `size` of these sites, at random (A32). Equal arguments draw equally.
 * @param seed of the run
 * @param number of the batch in the run
 */
export function drawBatch(
  from: readonly string[],
  size: number,
  { seed, number }: { readonly seed: number; readonly number: number },
): readonly string[] {
  const lots = from.map(site => ({ site, lot: hashOf([seed, number, site]) }))
  return lots
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .slice(0, size)
    .map(({ site }) => site)
}
