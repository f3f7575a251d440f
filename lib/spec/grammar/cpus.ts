import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a number of CPUs, `1.5` or `"1.5"`, from 0.01 to 1024. Returns billionths. */
export function parseCpus(cpus: string | number): Parsed<number> {
  const count = typeof cpus === 'number' || /^\d+(\.\d+)?$/.test(cpus) ? Number(cpus) : Number.NaN
  return count >= 0.01 && count <= 1024
    ? parsed(Math.round(count * 1_000_000_000))
    : malformed(`${cpus} is not a number of CPUs from 0.01 to 1024`)
}

/** The highest number of a CPU that engines accept. */
const lastCpu = 8192

/** Parses a set of CPUs, counted from 0: `0-3`, `0,2`, `1,4-7`. */
export function parseCpuset(text: string): Parsed<string> {
  const ranges = /^\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*$/.test(text) ? text.split(',') : []
  const isOrdered = ranges.every(range => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return first <= last && last <= lastCpu
  })
  return ranges.length > 0 && isOrdered
    ? parsed(text)
    : malformed(`"${text}" is no list of CPUs; write for example 0-3 or 0,2`)
}
