import { type Exclusion, nextUpgrade, type Queued, queueOf } from '../../../lib/fleet/queue.ts'
import type { VersionEntry } from '../../../lib/state/fleet/queue.ts'

/** Versions in the order in which they came, each `VERSION` or `VERSION from PATTERN or PATTERN`. */
export function entered(...texts: readonly string[]): readonly VersionEntry[] {
  return texts.map((text, index) => {
    const [version = '', from] = text.split(' from ')
    const paths = from === undefined ? ('any' as const) : from.split(' or ')
    return {
      number: index + 1,
      version,
      atMs: index,
      kept: { commit: `c${index + 1}`, mark: `m${index + 1}`, paths },
    }
  })
}

/** A site: what it runs and wants, whether its window is open, and what people said and what failed there. */
export type QueueSite = {
  readonly runs?: readonly string[]
  readonly wants?: string
  readonly isOpen?: boolean
  readonly forced?: readonly string[]
  readonly deleted?: readonly string[]
  readonly failed?: readonly string[]
}

const bars: Readonly<Record<'deleted' | 'failed', Exclusion>> = {
  deleted: { is: 'deleted', reason: 'was deleted from the queue by ann' },
  failed: { is: 'failed', reason: 'failed before: exited with code 1' },
}

/** Returns the queue of such a site. */
export function queueOn(
  entries: readonly VersionEntry[],
  { runs = [], wants = entries.at(-1)?.version ?? '', forced = [], deleted = [], failed = [] }: QueueSite,
): readonly [Queued, ...Queued[]] {
  const wanted = entries.findLast(({ version }) => version === wants)
  return queueOf({
    entries,
    standing: new Set(runs),
    wanted: { version: wants, paths: wanted?.kept?.paths ?? 'any' },
    barOf: ({ version }) =>
      deleted.includes(version) ? bars.deleted : failed.includes(version) ? bars.failed : undefined,
    isForced: ({ version }) => forced.includes(version),
  })
}

/** `3.0, then 3.0.1`, with a mark if it is forced, or why nothing is installed. */
export function nextOn(entries: readonly VersionEntry[], site: QueueSite): string {
  const { runs = [], isOpen = true } = site
  const found = nextUpgrade(new Set(runs), queueOn(entries, site), isOpen)
  switch (found.kind) {
    case 'go':
      return `${found.steps.map(({ version }) => version).join(', then ')}${found.isForced ? '!' : ''}`
    case 'deleted':
      return found.bar.reason
    case 'no-way':
      return found.reason
  }
}
