import { Refusal } from './refusal.ts'

/** The `filters` of a call: what a thing has to have, by the kind of property. */
export type Filters = Readonly<Record<string, readonly string[]>>

/** Reads the query's `filters`, in either of the two forms that engines accept. */
export function readFilters(text: string | null): Filters {
  if (text === null || text === '') return {}
  const given: Readonly<Record<string, readonly string[] | Readonly<Record<string, boolean>>>> = parse(text)
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value : Object.keys(value)]),
  )
}

function parse(text: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal(500, `invalid filters: ${String(cause)}`)
  }
}

/** Whether something has all the labels that are asked for: `key`, or `key=value`. */
export function hasLabels(labels: Readonly<Record<string, string>>, { label = [] }: Filters): boolean {
  return label.every(wanted => {
    const at = wanted.indexOf('=')
    if (at === -1) return Object.hasOwn(labels, wanted)
    return labels[wanted.slice(0, at)] === wanted.slice(at + 1)
  })
}

/** Whether any of the values that are asked for matches; true if nothing is asked. */
export function matchesAny(filters: Filters, key: string, matches: (wanted: string) => boolean): boolean {
  return filters[key]?.some(matches) ?? true
}
