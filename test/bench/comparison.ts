import { median } from './statistics.ts'
import { duration, type Row } from './table.ts'

/** Medians beside each other; `most` is the greatest ratio that is good enough. */
export function comparison(
  what: string,
  ours: readonly number[] | undefined,
  theirs: readonly number[] | undefined,
  name: string,
  most?: number,
): Row {
  const mine = median(ours ?? [])
  const goal = most === undefined ? {} : { goal: `≤ ${most.toFixed(2)}` }
  if (theirs === undefined)
    return { what, measured: duration(mine), beside: `${name}: not available`, ...goal }
  const ratio = mine / median(theirs)
  return {
    what,
    measured: duration(mine),
    beside: `${name}: ${duration(median(theirs))}`,
    ratio,
    ...goal,
    ...(most === undefined ? {} : { reached: ratio <= most }),
  }
}
