import type { Config } from '../config.ts'
import { openUsable } from '../daemon.ts'
import type { Journal } from '../journal/journal.ts'
import { type WrittenElsewhere, writtenElsewhere } from '../reconcile/site/writer/written-elsewhere.ts'
import type { Identity } from '../state/identity.ts'
import { thisProcess } from '../writer/on-engine/machine.ts'
import { createWriter } from '../writer.ts'

/**
 * Asks the engines of some sites who writes to an environment there instead of a process with this journal (D17). Which
 * engine is meant by a site whose settings cannot be used here only the variables of the daemon say: it is not asked.
 */
export async function whoWrites(
  config: Config,
  journal: Pick<Journal, 'knownMarks'>,
  { identity, sites }: { readonly identity: Identity; readonly sites: readonly string[] },
  signal: AbortSignal,
): Promise<WrittenElsewhere> {
  const meant = config.sites.filter(({ name }) => sites.includes(name))
  const { engines, unusable } = openUsable({ ...config, sites: meant })
  const writer = createWriter()
  try {
    const asking = { engines, identity, journal, writer, me: thisProcess() }
    const { rivals, unasked } = await writtenElsewhere(asking, signal)
    return { rivals, unasked: [...unasked, ...unusable].sort() }
  } finally {
    for (const engine of engines) engine.close()
    await writer.release()
  }
}
