import type { Config } from '../config.ts'
import { openEngines } from '../daemon.ts'
import type { Journal } from '../journal/journal.ts'
import { type WrittenElsewhere, writtenElsewhere } from '../reconcile/site/writer/written-elsewhere.ts'
import type { Identity } from '../state/identity.ts'
import { thisProcess } from '../writer/on-engine/machine.ts'
import { createWriter } from '../writer.ts'

/** Asks the engines of some sites who writes to an environment there instead of a process with this journal (D17). */
export async function whoWrites(
  config: Config,
  journal: Pick<Journal, 'knownMarks'>,
  { identity, sites }: { readonly identity: Identity; readonly sites: readonly string[] },
  signal: AbortSignal,
): Promise<WrittenElsewhere> {
  const engines = openEngines({ ...config, sites: config.sites.filter(({ name }) => sites.includes(name)) })
  const writer = createWriter()
  try {
    return await writtenElsewhere({ engines, identity, journal, writer, me: thisProcess() }, signal)
  } finally {
    for (const engine of engines) engine.close()
    await writer.release()
  }
}
