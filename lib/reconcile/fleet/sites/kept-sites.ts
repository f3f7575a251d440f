import type { Site } from '../../../config/site/sites.ts'
import type { Journal } from '../../../journal/journal.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { inPieces } from '../../concurrency/in-pieces.ts'
import type { ApplicationStatus } from '../../status/application/application-status.ts'
import { keptOf, unreachedIn } from '../../status/last-state.ts'
import type { World } from '../../world.ts'
import { isHeldUp } from '../findings/last-ready.ts'
import type { SeenOnSite } from '../memory/seen-sites.ts'

/** What the journal has of a site, as far as deployments go by it. */
export type KeptSite = Omit<SeenOnSite, 'applications'> & {
  /** Those that have a deployment; absent: nobody has looked at the site. */
  readonly applications?: readonly KeptApplication[]
  /** The applications that could not go on with their deployments there. */
  readonly unready: readonly string[]
}

type KeptApplication = Pick<
  ApplicationStatus,
  'application' | 'version' | 'wantedVersion' | 'running' | 'health'
>

/** What the journal has of the sites of an environment. */
export type KeptSites = {
  of(site: string): KeptSite
  /** Keeps it no longer: the site was seen since. */
  forget(site: string): void
  /** Keeps nothing longer: another process may have worked on the sites since. */
  forgetAll(): void
}

/**
 * Returns what the journal has of sites that this process has not seen. It is read once of each, until something else is
 * wanted or other sites are configured: nothing that deployments go by is recorded of a site meanwhile that does not
 * answer, and they are looked at often while not all sites were asked.
 */
export function keptSites(
  { journal, config }: Pick<World, 'journal' | 'config'>,
  desired: DesiredState,
): KeptSites {
  const known = knownFor(desired)(config.sites)
  return {
    of(site) {
      const kept = known.get(site) ?? read(journal, desired, site)
      known.set(site, kept)
      return kept
    },
    forget: site => void known.delete(site),
    forgetAll: () => known.clear(),
  }
}

const knownFor = onceFor((_: DesiredState) => onceFor((_: readonly Site[]) => new Map<string, KeptSite>()))

/** Reads what deployments will ask of sites that this process has not seen, in pieces: there may be thousands at a start. */
export async function readKeptSites(world: World, desired: DesiredState): Promise<void> {
  if (desired.deployments === undefined) return
  const { engines, memory, pacing } = world
  const { of } = keptSites(world, desired)
  const unseen = engines.flatMap(({ site }) => (memory.fleet.seen.on(site) === undefined ? [site] : []))
  await inPieces(unseen, of, pacing.goOn)
}

/** An application that could not go on with its deployment on a site. */
export type Unready = { readonly application: string; readonly site: string }

/**
 * Returns which applications could not go on with their deployments when their sites were last seen, so that a process
 * that has looked at no site yet draws none of those (A34).
 */
export function lastUnready(world: World, desired: DesiredState): readonly Unready[] {
  if (desired.deployments === undefined) return []
  const { of } = keptSites(world, desired)
  return world.journal
    .keptSites(desired.environment)
    .flatMap(site => of(site).unready.map(application => ({ application, site })))
}

/** The process that wrote it may have ended in the middle of a change. */
function read(journal: Journal, { environment, deployments = [] }: DesiredState, site: string): KeptSite {
  const { state } = keptOf(journal, environment, site)
  const deployed = new Set(deployments.map(({ application }) => application))
  if (state === undefined) return { unready: [] }
  const isAway = unreachedIn(state).has(site)
  const own = state.applications.filter(({ application }) => deployed.has(application))
  const begun = [...journal.attempts(environment, site)].flatMap(([key, { phase }]) =>
    phase === 'open' ? [splitKey(key).application] : [],
  )
  return {
    applications: own.map(({ application, version, wantedVersion, running, health }) => ({
      ...{ application, version, running, health },
      ...optional('wantedVersion', wantedVersion),
    })),
    ...optional('contents', state.contents),
    changed: [...(state.changed ?? []), ...begun],
    unready: isAway ? [...deployed] : own.filter(isHeldUp).map(({ application }) => application),
  }
}
