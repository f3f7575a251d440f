import { join } from 'node:path'
import { timeOfDayMs } from '../../clock.ts'
import { openJournal } from '../../journal/journal.ts'
import { createPacing } from '../../reconcile/concurrency/pacing.ts'
import { environmentStatus } from '../../reconcile/status/environment-status.ts'
import { keptTogether } from '../../reconcile/status/last-state.ts'
import type { StatusDocument } from '../../reconcile/status/status-document.ts'
import { hinted } from '../output/hinted.ts'

/** Returns every environment as the journal of a state directory knows it, for use without a daemon. */
export async function knownStatus(stateDir: string): Promise<readonly StatusDocument[]> {
  const journal = openJournal(join(stateDir, 'tallyman.sqlite'), { readOnly: true })
  const { goOn } = createPacing()
  const lastKnown = async (environment: string): Promise<StatusDocument> => {
    const source = { environment, journal, ...keptTogether(journal, environment), nowMs: timeOfDayMs() }
    const status = await environmentStatus(source, goOn)
    return { ...status, errors: status.errors.map(error => hinted(error, false)), ingress: [] }
  }
  const found = await Promise.all(journal.knownEnvironments().map(lastKnown))
  journal.close()
  return found
}
