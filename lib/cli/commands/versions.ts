import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { keptTogether } from '../../reconcile/status/last-state.ts'
import { versionList } from '../../reconcile/status/version-list.ts'
import { knownName } from '../../text/suggestion/unknown-name.ts'
import { exitCode } from '../exit.ts'
import type { CommonFlags } from '../options/flags.ts'
import { oneEnvironment } from '../options/one-environment.ts'
import { inEnvironment } from '../output/in-environment.ts'
import type { Output } from '../output/output.ts'
import { calledIn, readJournal } from '../read-journal.ts'
import { versionLines } from '../text/version-text.ts'

/** Prints the versions of an application that can be gone back to, and where what runs. */
export async function versions(output: Output, flags: CommonFlags, application = ''): Promise<number> {
  const journal = readJournal(flags)
  try {
    const environment = environmentOf(journal, flags)
    knownName('application', application, everyApplication(journal, environment))
    const list = versionList(journal, environment, application)
    if (output.json) output.document(list)
    else output.text(inEnvironment(environment, journal.knownEnvironments().length, versionLines(list)))
    return exitCode.done
  } finally {
    journal.close()
  }
}

function environmentOf(journal: Journal, flags: CommonFlags): string {
  const written = oneEnvironment(flags)
  const known = journal.knownEnvironments()
  if (known.length === 0)
    throw new Failure('environment-unread', 'the state directory knows no environment yet', { hint })
  if (written !== undefined) return knownName('environment', calledIn(journal, written), known)
  const [only, ...others] = known
  if (only !== undefined && others.length === 0) return only
  throw new Failure(
    'wrong-usage',
    `several environments are known; name one with --environment: ${known.join(', ')}`,
  )
}

const hint =
  'Nothing to do: versions are on record with the tallyman that writes, once it has made a pass. One that only observes has none.'

function everyApplication(journal: Journal, environment: string): readonly string[] {
  const kept = journal.allKeptVersions(environment).map(({ application }) => application)
  const { applications = [] } = keptTogether(journal, environment).state ?? {}
  const seen = applications.map(({ application }) => application)
  return [...new Set([...kept, ...seen, ...journal.knownApplications(environment)])].sort()
}
