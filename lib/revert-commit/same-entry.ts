import type { ServiceEntry } from '../state/application/service-entry.ts'
import { canonical } from '../state/canonical.ts'

/** Whether two entries mean the same, wherever they stand. */
export function isSameEntry(one: ServiceEntry | undefined, other: ServiceEntry | undefined): boolean {
  return meaningOf(one) === meaningOf(other)
}

/** Returns entries that mean the same as the same text, in whatever order they stand. */
export function meaningsOf(entries: readonly ServiceEntry[]): string {
  return canonical(entries.map(meaningOf).sort())
}

function meaningOf(entry: ServiceEntry | undefined): string {
  if (entry === undefined) return ''
  const { position: _, containers, ...own } = entry
  return canonical({ ...own, containers: containers?.map(({ position: __, ...container }) => container) })
}
