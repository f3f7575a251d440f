import { median } from './statistics.ts'
import { duration, type Row } from './table.ts'

/** The greatest ratio that is good enough, of two medians of one run, and why it is that one. */
export type Goal = { readonly most: number; readonly why?: string }

/** Medians beside each other. */
export function comparison(
  what: string,
  ours: readonly number[] | undefined,
  theirs: readonly number[] | undefined,
  name: string,
  target?: Goal,
): Row {
  const mine = median(ours ?? [])
  const goal = target === undefined ? {} : { goal: `≤ ${target.most.toFixed(2)}`, ...whyOf(target) }
  if (theirs === undefined)
    return { what, measured: duration(mine), beside: `${name}: not available`, ...goal }
  const ratio = mine / median(theirs)
  return {
    what,
    measured: duration(mine),
    beside: `${name}: ${duration(median(theirs))}`,
    ratio,
    ...goal,
    ...(target === undefined ? {} : { reached: ratio <= target.most }),
  }
}

function whyOf({ why }: Goal): Pick<Row, 'why'> {
  return why === undefined ? {} : { why }
}
