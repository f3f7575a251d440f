import { type Exclusion, nextUpgrade, pathsOf, queueOf } from '../../fleet/queue.ts'
import type { Journal } from '../../journal/journal.ts'
import { splitKey } from '../../plan/change/change.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { versionOf } from '../../state/application/version-of.ts'
import type { Paths, VersionEntry } from '../../state/fleet/queue.ts'
import { lastSeen } from './last-seen.ts'

/** A version that is to come to sites, and from which versions it may be reached. */
export type Coming = { readonly version: string; readonly paths: Paths }

/** A site where nothing comes of a version, because no upgrade path leads to it from what is there, and why (A42). */
export type NoWay = { readonly site: string; readonly reason: string }

type Seen = { readonly site: string; readonly version: string }

/**
 * Returns which version of an application each site has, as far as it was seen: the one that runs, or else the one that
 * was complete last.
 */
export function versionsOnSites(
  journal: Pick<Journal, 'keptStates' | 'applied'>,
  environment: string,
  application: string,
): readonly Seen[] {
  return lastSeen(journal, environment)
    .filter(one => one.application === application)
    .flatMap(({ site, version, running }) => {
      if (running > 0) return { site, version }
      const last = [...journal.applied(environment, site)].flatMap(([key, { version: applied }]) =>
        splitKey(key).application === application ? (applied ?? []) : [],
      )
      return last.slice(0, 1).map(applied => ({ site, version: applied }))
    })
}

/**
 * Returns the sites of these that no upgrade path leads to a version on. It may also lead there by way of others.
 * @param entries the versions that entered, oldest first
 * @param out those that are no step there, and why
 */
export function noWaysTo(
  { version, paths }: Coming,
  entries: readonly VersionEntry[],
  sites: readonly Seen[],
  out: ReadonlyMap<string, string> = new Map(),
): readonly NoWay[] {
  // What has no version of its own is reached from everywhere, and so is what nobody knows paths of.
  if (paths === 'any' || paths.length === 0) return []
  return sites.flatMap(({ site, version: here }) => {
    const standing = new Set([here])
    const wanted = { version, paths }
    const barOf = (entry: { readonly version: string }): Exclusion | undefined => {
      const reason = entry.version === version ? undefined : out.get(entry.version)
      return reason === undefined ? undefined : { is: 'ended', reason }
    }
    const queue = queueOf({ entries, standing, wanted, barOf, isForced: () => false })
    const next = nextUpgrade(standing, queue, true)
    return next.kind === 'no-way' ? [{ site, reason: next.reason }] : []
  })
}

/** Returns the entries as they will be once a commit wants a version. */
export function withEntry(entries: readonly VersionEntry[], version: string): readonly VersionEntry[] {
  const last = entries.at(-1)
  if (last?.version === version) return entries
  return [...entries, { number: (last?.number ?? 0) + 1, version, atMs: last?.atMs ?? 0 }]
}

/** Returns the version that a state brings, and from which it may be reached: that of a deployment goes first (A12). */
export function comingIn(
  journal: Pick<Journal, 'keptVersions'>,
  environment: string,
  state: DesiredState,
  application: string,
): Coming | undefined {
  const own = state.applications.find(({ name }) => name === application)
  if (own === undefined) return undefined
  const version = versionWanted(state, application) ?? versionOf(own)
  if (version === versionOf(own)) return { version, paths: pathsOf(own) }
  const kept = journal.keptVersions(environment, application).find(one => one.version === version)
  return { version, paths: kept?.paths ?? 'any' }
}

/** Returns the version of an application that a state wants; undefined: it does not have it. */
export function versionWanted(state: DesiredState, application: string): string | undefined {
  const own = state.applications.find(({ name }) => name === application)
  const named = state.deployments?.find(one => one.application === application)?.version
  return named ?? (own && versionOf(own))
}
