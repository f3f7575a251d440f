import { optional } from '../object.ts'
import type { QueueWord } from '../state/fleet/queue.ts'
import { firstAndMore } from '../text/first-and-more.ts'
import { recordSaid } from './record-said.ts'
import type { UpgradeRequest } from './request.gen.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'
import { mostSitesNamed } from './version/begun-upgrades.ts'
import {
  addressedUpgrade,
  type DeletedUpgrade,
  judgeUpgrades,
  type UpgradeVerb,
  type WaitingUpgrade,
} from './version/judge-upgrades.ts'
import { lastSeen } from './version/last-seen.ts'
import { sayOfLastEntry } from './version/queue-word.ts'

/** What would be forced, if somebody said so now. */
export type UpgradeQuestion = {
  readonly environment: string
  /** Each with the version that the site has; absent: none, or nobody knows. */
  readonly wouldForce: readonly (WaitingUpgrade & { readonly runs?: string })[]
  /** The sites on which it would not count; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/** Says what `forceUpgrade` would do, and does nothing (G13). Fails as that does. */
export async function wouldForce(
  audience: Audience,
  speaker: Speaker,
  given: UpgradeRequest,
): Promise<UpgradeQuestion> {
  const about = await addressedUpgrade(audience, speaker, given, 'force-upgrade')
  const environment = about.subject.name()
  const { meant, left } = judgeUpgrades(audience, about)
  const seen = lastSeen(audience.journal, environment)
  const runs = ({ site, application }: WaitingUpgrade) =>
    seen.find(one => one.site === site && one.application === application)?.version
  return {
    environment,
    wouldForce: meant.map(one => ({ ...one, ...optional('runs', runs(one)) })),
    ...withLeft(left),
  }
}

/**
 * Has versions that wait installed outside of the windows of their sites: the wanted ones, or another that is named. An
 * upgrade path has to lead there all the same, and a deployment does not bring them before their turn (A66). Fails with
 * `wrong-usage` if what is named does not wait, with `deployment-stopped` if all of it failed or was aborted in its
 * deployment, and with `no-upgrade-path` if no path leads to any of it.
 */
export async function forceUpgrade(
  audience: Audience,
  speaker: Speaker,
  given: UpgradeRequest,
): Promise<{ readonly forced: readonly WaitingUpgrade[]; readonly left?: readonly LeftOut[] }> {
  const { said, left } = await sayOf(audience, speaker, given, 'force-upgrade')
  return { forced: said, ...withLeft(left) }
}

/**
 * Deletes a version that waits from the queues of sites: what runs there stays until a newer version comes (A66). Fails
 * with `wrong-usage` if it does not wait, or has begun on all of them: it runs to its end there.
 */
export async function deleteUpgrade(
  audience: Audience,
  speaker: Speaker,
  given: UpgradeRequest,
): Promise<{ readonly deleted: readonly DeletedUpgrade[]; readonly left?: readonly LeftOut[] }> {
  const { said, left } = await sayOf(audience, speaker, given, 'delete-upgrade')
  return { deleted: said, ...withLeft(left) }
}

const words: Readonly<Record<UpgradeVerb, QueueWord['word']>> = {
  'force-upgrade': 'forced',
  'delete-upgrade': 'deleted',
}

async function sayOf(
  audience: Audience,
  speaker: Speaker,
  given: UpgradeRequest,
  verb: UpgradeVerb,
): Promise<{ readonly said: readonly DeletedUpgrade[]; readonly left: readonly LeftOut[] }> {
  const { journal, nowMs } = audience
  const about = await addressedUpgrade(audience, speaker, given, verb)
  const { subject, application } = about
  const { meant, left } = journal.atOnce(() => {
    const judged = judgeUpgrades(audience, about)
    for (const { site, application, version } of judged.meant)
      sayOfLastEntry(journal, {
        ...{ environment: subject.name(), site, application, version },
        ...{ word: words[verb], who: speaker.who, atMs: nowMs() },
      })
    if (judged.meant.length > 0)
      recordSaid(audience, subject, speaker, {
        verb,
        ...optional('about', application),
        message: textOf(judged.meant, given),
      })
    return judged
  })
  if (meant.length > 0) subject.request()
  return { said: meant, left }
}

function textOf(meant: readonly WaitingUpgrade[], { message = '' }: UpgradeRequest): string {
  const named = meant.map(({ site, application, version }) => `${application} ${version} on ${site}`)
  return `${firstAndMore(named, mostSitesNamed)}${message === '' ? '' : `: ${message}`}`
}
