import { join, posix } from 'node:path'
import type { About } from '../../answers/subject/addressed.ts'
import { waitingAmong } from '../../answers/subject/asked.ts'
import { owner, type Speaker } from '../../answers/subject/speaker.ts'
import type { Audience, FoundState, Subject } from '../../answers/subject/subject.ts'
import { timeOfDayMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { whoWrites } from '../../daemon/who-writes.ts'
import { openParts } from '../../daemon.ts'
import { Failure } from '../../errors.ts'
import { type Journal, openJournal } from '../../journal/journal.ts'
import { wasReady } from '../../reconcile/fleet/findings/last-ready.ts'
import type { WrittenElsewhere } from '../../reconcile/site/writer/written-elsewhere.ts'
import { keptTogether } from '../../reconcile/status/last-state.ts'
import { unusableSites } from '../../reconcile/status/site/site-document.ts'
import { isMeant } from '../../state/identity.ts'
import { timeout as abortAfter } from '../../wait/timer.ts'
import { repositoryOf } from '../configured-repository.ts'
import type { CommonFlags } from '../options/flags.ts'
import { configOfSites } from '../options/state-dir.ts'
import { currentUser } from './user.ts'

/**
 * Has something heeded while no daemon runs: it is recorded in the journal, and a site is told at once. Fails with
 * `daemon-unreachable` if the journal knows no environment, and with `another-writer` if another process writes on all
 * sites that are meant and say who writes there. `unasked`: the sites that did not say who writes there. `unwritten`: why
 * what is done already cannot be recorded.
 */
export async function withoutDaemon<Given extends About, Said>(
  { environment: _, ...flags }: CommonFlags,
  heed: (audience: Audience, speaker: Speaker, given: Given) => Promise<Said>,
  given: Given,
): Promise<{
  readonly said: Said
  readonly unasked: readonly string[]
  readonly unwritten: Failure | undefined
}> {
  const config = configOfSites(flags)
  const journal = openJournal(join(config.stateDir, 'tallyman.sqlite'))
  try {
    const known = journal.knownEnvironments().map(name => subjectIn(journal, config, name))
    if (known.length === 0)
      throw new Failure('daemon-unreachable', `no daemon runs, and ${config.stateDir} knows no environment`)
    const asked = await Promise.all(
      known.map(async subject => {
        if (!isAbout(given, subject)) return { subject, unasked: [] }
        const { rivals, unasked } = await askEngines(journal, config, subject, given)
        const silent = new Set(unasked)
        return { subject: { ...subject, rivals: () => rivals, unasked: () => silent }, unasked }
      }),
    )
    const subjects = asked.map(({ subject }) => subject)
    const said = await heed({ subjects, journal, nowMs: timeOfDayMs }, owner(currentUser(), 'command'), given)
    const unasked = [...new Set(asked.flatMap(one => one.unasked))]
    return { said, unasked, unwritten: journal.unwritten() }
  } finally {
    journal.close()
  }
}

function isAbout({ environment }: About, subject: Subject): boolean {
  return environment === undefined || environment === subject.name() || subject.isWrittenAs(environment)
}

/** Asks the engines of an environment who writes there, each once. If nobody can say what to ask for, none is asked. */
async function askEngines(
  journal: Journal,
  config: Config,
  subject: Subject,
  { site }: About,
): Promise<WrittenElsewhere> {
  const environment = subject.name()
  const sites = subject.sites().filter(name => site === undefined || [site].flat().includes(name))
  const known = journal.environments().find(one => one.environment === environment)
  const repository = repositoryOf(config)
  // A process that has only observed knows no directory yet, and a claim does not need it.
  const { source, directory } = known ?? { source: repository?.source, directory: environment }
  if (source === undefined) return { rivals: new Map(), unasked: sites }
  const identity = { environment, source, directory, address: repository?.address ?? source }
  return whoWrites(config, journal, { identity, sites }, abortAfter(limitMs))
}

/** Returns an environment as the journal knows it. Nobody looks at it. */
function subjectIn(journal: Journal, config: Config, environment: string): Subject {
  const known = journal.environments().find(one => one.environment === environment)
  const directory = known?.directory ?? environment
  const place = { name: posix.basename(directory), directory }
  const sites = config.sites.filter(
    ({ environments }) =>
      environments?.some(written => written === environment || isMeant(place, written)) ?? true,
  )
  return {
    name: () => environment,
    isWrittenAs: written => isMeant(place, written),
    unreadable: async () => undefined,
    approvalExpiresMs: config.approvalExpiresMs,
    hasNoIngress: config.ingress === undefined,
    found: () => foundIn(journal, environment),
    applications: () =>
      (keptTogether(journal, environment).state?.applications ?? []).map(({ application }) => application),
    rollingOut: () =>
      journal
        .log({ environment, limit: 1 })
        .flatMap(({ outcome, site = sites[0]?.name ?? '' }) => (outcome === 'running' ? [site] : [])),
    look: async () => undefined,
    until: async () => undefined,
    request: () => undefined,
    requestOfDeployment: () => undefined,
    tryAgain: () => undefined,
    ofRuns: () => ({ isReady: wasReady(keptTogether(journal, environment).state), sites }),
    sites: () => sites.map(({ name }) => name),
    unusable: () => unusableSites(config),
    rivals: () => new Map(),
    unasked: () => new Set(),
    windows: () => new Map(sites.map(({ name, windows }) => [name, windows])),
    async setDraining(site, isDraining) {
      if (known === undefined)
        throw new Failure('wrong-usage', `${environment} has not been read yet, so its ingress is not known`)
      const { source, engines, close } = openParts(config)
      try {
        const identity = { ...known, address: source.address }
        await engines.find(one => one.site === site)?.setDraining(identity, isDraining, abortAfter(limitMs))
      } finally {
        await close()
      }
    },
  }
}

/** As long as a daemon waits for an ingress, and shorter than a person waits for a command. */
const limitMs = 8_000

function foundIn(journal: Journal, environment: string): FoundState {
  const { state, parts } = keptTogether(journal, environment)
  const { plan: id, revision, errors = [] } = state ?? {}
  return {
    ...(id === undefined || revision === undefined ? {} : { plan: { id, commit: revision.commit } }),
    ...waitingAmong(parts),
    unverified: [],
    endedMs: journal.log({ environment, limit: 1 })[0]?.lastSeenAtMs ?? 0,
    errors,
  }
}
