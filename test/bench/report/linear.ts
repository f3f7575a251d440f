import { duration, type Row } from './table.ts'

/** So many times the sites may take as many times the time, and what two runs of one size differ by. */
const mostGrowth = 1.1

/** Compares processor time with so many times what fewer sites took, which would be linear. */
export function besideFewer(usedMs: number, fewerMs: number, times: number): Pick<Row, 'beside' | 'ratio'> {
  return { beside: `${times} times ${duration(fewerMs)}`, ratio: usedMs / (fewerMs * times) }
}

/** Compares it as well, and holds that it does not grow faster than the sites do. */
export function growth(what: string, usedMs: number, fewerMs: number, times: number): Row {
  const beside = besideFewer(usedMs, fewerMs, times)
  return {
    what,
    measured: duration(usedMs),
    ...beside,
    goal: `≤ ${mostGrowth.toFixed(2)}`,
    reached: beside.ratio !== undefined && beside.ratio <= mostGrowth,
  }
}
