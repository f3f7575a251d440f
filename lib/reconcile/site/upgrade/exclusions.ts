import type { Exclusion, QueueInput } from '../../../fleet/queue.ts'
import { type EndedVersion, endedAmong } from '../../../fleet/spread/ended.ts'
import type { QuarantinedAfter } from '../../../journal/services/quarantine.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { QueueWord, VersionEntry } from '../../../state/fleet/queue.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import type { SiteWorld } from '../site.ts'

/** What is on record of the versions that wait on a site. */
export type OnRecord = {
  readonly words: readonly QueueWord[]
  readonly quarantined: readonly QuarantinedAfter[]
  readonly entriesOf: (application: string) => readonly VersionEntry[]
  /** The versions that failed on some site of their deployment, or were aborted there. */
  readonly endedOf: (application: string) => ReadonlyMap<string, EndedVersion>
}

/** Returns what is on record of the versions that wait on a site. `retry`: what failed there is tried again. */
export function toldOn(
  { world: { journal }, engine }: SiteWorld,
  { environment, deployments = [] }: DesiredState,
  { retry }: { readonly retry: boolean },
): OnRecord {
  return {
    words: journal.queueWords(environment, engine.site),
    quarantined: retry ? [] : journal.quarantined(environment, engine.site),
    entriesOf: name => journal.versionEntries(environment, name),
    // Without a deployment, nobody could end that by a word about it.
    endedOf: name =>
      deployments.some(({ application }) => application === name)
        ? endedAmong(journal.judgedRuns(environment, name))
        : new Map(),
  }
}

/**
 * Returns why a version of an application is not installed on a site: somebody deleted it there, it failed there, or its
 * deployment ended with a failure on another site or by a person's word (A33). Of
 * versions that lead on equally, the last one is tried first. So those that had entered after the one that failed, by
 * then, have failed before it.
 */
export function exclusionsIn(
  { words, quarantined, entriesOf, endedOf }: OnRecord,
  application: string,
): QueueInput['barOf'] {
  const deletionOf = deletionsIn(words, application)
  const failures = quarantined.filter(one => one.application === application)
  const entries = failures.length === 0 ? [] : entriesOf(application)
  const failedAt = entries.flatMap(({ number, kept }) => {
    const failure = kept && failures.find(({ mark }) => mark === kept.mark)
    return failure === undefined ? [] : [{ number, failure }]
  })
  const ended = endedOf(application)
  return (entry): Exclusion | undefined => {
    const { number, version } = entry
    const deletion = deletionOf(entry)
    if (deletion !== undefined) return deletion
    const itself = failedAt.find(one => one.number === number)
    const failed = itself ?? failedAt.find(one => one.number < number && wasThere(entry, one.failure))
    if (failed === undefined) {
      const end = ended.get(version)
      return end && { is: 'ended', ...end }
    }
    const { reason, site, atMs: sinceMs } = failed.failure
    return {
      is: 'failed',
      reason: `failed before${itself === undefined ? '' : `: ${withoutSite(reason.message, site)}`}`,
      sinceMs,
    }
  }
}

/** Whether a version had entered, and had been wanted if it is, when another one failed. The clock may have been set since. */
function wasThere(
  { number, wantedSeq = 0, atMs = 0 }: Parameters<QueueInput['barOf']>[0],
  { after, atMs: failedMs }: QuarantinedAfter,
): boolean {
  return after === undefined ? atMs <= failedMs : number <= after.number && wantedSeq <= after.wantedSeq
}

/** Returns why an entry is not installed on a site because somebody deleted it there; undefined: nobody did. */
export function deletionsIn(
  words: readonly QueueWord[],
  application: string,
): (entry: Pick<VersionEntry, 'number' | 'version'>) => Exclusion | undefined {
  const own = words.filter(one => one.application === application && one.word === 'deleted')
  return ({ number, version }) => {
    const deleted = own.find(word => word.version === version && number <= word.entry)
    if (deleted === undefined) return undefined
    const { who, atMs: sinceMs } = deleted
    return { is: 'deleted', reason: `was deleted from the queue by ${who}`, sinceMs }
  }
}

/** Returns whether a person has a version installed outside of the windows. */
export function isForcedIn({ words }: OnRecord, application: string): QueueInput['isForced'] {
  const own = words.filter(one => one.application === application && one.word === 'forced')
  return ({ number, version }) => own.some(word => word.version === version && number <= word.entry)
}
