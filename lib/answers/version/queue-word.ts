import type { Journal } from '../../journal/journal.ts'
import type { QueueWord } from '../../state/fleet/queue.ts'

/** Records what somebody says of a version on a site, about the last entry that a commit brought of it (A66). */
export function sayOfLastEntry(
  journal: Pick<Journal, 'versionEntries' | 'sayOfQueue'>,
  said: Omit<QueueWord, 'entry'>,
): void {
  const { environment, application, version } = said
  const entries = journal.versionEntries(environment, application)
  const entry = entries.findLast(one => one.version === version)?.number ?? 0
  journal.sayOfQueue({ ...said, entry })
}
