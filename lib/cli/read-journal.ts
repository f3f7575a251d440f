import { join, posix } from 'node:path'
import { type Journal, openJournal } from '../journal/journal.ts'
import { isMeant } from '../state/identity.ts'
import type { CommonFlags } from './options/flags.ts'
import { stateDirOf } from './options/state-dir.ts'

/** Opens the journal to read it, beside a daemon or without one. */
export function readJournal(flags: CommonFlags): Journal {
  return openJournal(join(stateDirOf(flags), 'tallyman.sqlite'), { readOnly: true })
}

/** Returns the name in the journal of an environment that a person calls by its name or its directory. */
export function calledIn(journal: Journal, written: string): string {
  const known = journal.environments()
  if (known.some(({ environment }) => environment === written)) return written
  const meant = known.filter(({ directory }) =>
    isMeant({ name: posix.basename(directory), directory }, written),
  )
  const [only, ...others] = meant
  return only !== undefined && others.length === 0 ? only.environment : written
}
