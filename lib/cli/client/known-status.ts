import { join } from 'node:path'
import { timeOfDayMs } from '../../clock.ts'
import { openJournal } from '../../journal/journal.ts'
import { environmentStatus } from '../../reconcile/status/environment-status.ts'
import { keptTogether } from '../../reconcile/status/last-state.ts'
import type { StatusDocument } from '../../reconcile/status/status-document.ts'
import { hinted } from '../output/hinted.ts'

/** Returns every environment as the journal of a state directory knows it, for use without a daemon. */
export function knownStatus(stateDir: string): readonly StatusDocument[] {
  const journal = openJournal(join(stateDir, 'tallyman.sqlite'), { readOnly: true })
  const found = journal.knownEnvironments().map(environment => {
    const status = environmentStatus({
      environment,
      journal,
      ...keptTogether(journal, environment),
      nowMs: timeOfDayMs(),
    })
    return { ...status, errors: status.errors.map(error => hinted(error, false)), ingress: [] }
  })
  journal.close()
  return found
}
