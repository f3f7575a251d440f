import type { LeftOut } from '../../answers/subject/asked.ts'

/** Says on which sites of a plan an answer does not count, each reason once, as sentences after others. */
export function leftOutText(left: readonly LeftOut[] = []): string {
  const reasons = Map.groupBy(left, ({ reason }) => reason)
  return [...reasons]
    .map(([reason, sites]) => ` Not on ${sites.map(({ site }) => site).join(', ')}: ${reason}.`)
    .join('')
}
