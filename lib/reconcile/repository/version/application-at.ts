import type { Problem } from '../../../errors.ts'
import type { KeptVersion } from '../../../journal/fleet/kept-versions.ts'
import { onceFor } from '../../../memo/once-for.ts'
import type { Application } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { shortCommit } from '../../../state/repository/revision.ts'
import type { World } from '../../world.ts'
import { earlierState } from './earlier-state.ts'

/** An application as it was in a version, or why it cannot be had. */
export type ApplicationThen = { readonly application: Application } | { readonly problem: Problem }

/** The same for all sites, and for those that the commit of the version had something of their own for. */
export type VersionThen = ApplicationThen & { readonly ofSites?: ReadonlyMap<string, ApplicationThen> }

/**
 * Returns an application as it was in a kept version: its services, hooks and rules, with the digests of that time
 * (A6, A12). Needs neither the git server nor the registry, as long as what was fetched is there. `desired`: what the
 * newest commit wants. Fails only if the signal aborts.
 */
export async function applicationAt(
  world: World,
  desired: DesiredState,
  name: string,
  version: string,
  signal: AbortSignal,
): Promise<VersionThen> {
  const keptVersions = world.journal.keptVersions(desired.environment, name)
  const keptVersion = keptVersions.find(one => one.version === version)
  if (keptVersion === undefined) {
    const kept = keptVersions.map(one => one.version).join(', ')
    const there = kept === '' ? 'none is kept yet' : `these are kept: ${kept}`
    return {
      problem: { code: 'version-missing', message: `${name}: there is no version ${version}; ${there}` },
    }
  }
  return applicationInCommit(world, desired, keptVersion, signal)
}

/**
 * Returns an application as it was in a commit that has this version of it, as `applicationAt` does. The version need
 * not be kept any more. A site that had something of its own in that commit gets it as it was.
 */
export async function applicationInCommit(
  world: World,
  desired: DesiredState,
  { application: name, version, commit }: Pick<KeptVersion, 'application' | 'version' | 'commit'>,
  signal: AbortSignal,
): Promise<VersionThen> {
  const unreadable = (reason: string): ApplicationThen => ({
    problem: {
      code: 'version-unreadable',
      message: `${name}: version ${version} of commit ${shortCommit(commit)} cannot be read: ${reason}`,
    },
  })
  const isNewest = commit === desired.revision.commit
  const found = isNewest ? { state: desired } : await earlierState(world, commit, signal)
  if ('reason' in found) return unreadable(found.reason)
  // Sites go on to share what is the same.
  const asOf = onceFor((application: Application) => (isNewest ? application : { ...application, commit }))
  const thenIn = (
    { applications, blocked }: DesiredState,
    isMeant = (_: Application) => true,
  ): ApplicationThen => {
    const application = applications.find(one => one.name === name)
    if (application !== undefined && isMeant(application)) return { application: asOf(application) }
    const problem = blocked.find(one => one.application === name)?.problems[0]
    return unreadable(problem?.message ?? 'the commit has another version of it')
  }
  const { variants } = found.state
  return {
    ...thenIn(found.state, application => versionOf(application) === version),
    // What a site has of its own may have another version there.
    ...(variants === undefined
      ? {}
      : { ofSites: new Map([...variants].map(([site, state]) => [site, thenIn(state)])) }),
  }
}

/** Returns a version as a site had it; undefined: as all others have it. */
export function thenOn(version: VersionThen, site: string | undefined): ApplicationThen {
  return (site === undefined ? undefined : version.ofSites?.get(site)) ?? version
}
