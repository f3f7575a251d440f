import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Failure } from '../errors.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { isMeant } from '../state/identity.ts'
import type { CommonFlags } from './options/flags.ts'
import { stateDirOf } from './options/state-dir.ts'

/**
 * Opens the journal to read it, beside a daemon or without one: that of the daemon whose socket is named. Fails with
 * `wrong-usage` if that is not in its state directory.
 */
export function readJournal(flags: CommonFlags): Journal {
  return openJournal(journalOf(flags), { readOnly: true })
}

function journalOf(flags: CommonFlags): string {
  const { server } = flags
  const file = join(server === undefined ? stateDirOf(flags) : dirname(server), 'tallyman.sqlite')
  if (server === undefined || existsSync(file)) return file
  throw new Failure(
    'wrong-usage',
    `--server ${server}: there is no journal beside that socket; leave it out, and name the state directory with --state-dir`,
  )
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
