import { splitKey } from '../../../plan/change/change.ts'
import { broughtLater } from '../../../plan/change/later-release.ts'
import type { LaterRelease } from '../../../plan/change/walk.ts'
import { diff } from '../../../plan/compare/diff.ts'
import type { Past } from '../../../plan/compare/past.ts'
import type { Application } from '../../../state/application/application.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import type { LiveState } from '../../../state/running/live.ts'
import type { World } from '../../world.ts'
import { knownInstances } from '../decision/known-instance.ts'

/**
 * Returns the releases that come after the first of these versions of an application: of each later one, those of the
 * services that it changes, and what they bring.
 */
export function laterReleases(
  { journal }: Pick<World, 'journal'>,
  { desired, live, past }: { readonly desired: DesiredState; readonly live: LiveState; readonly past: Past },
  versions: readonly Application[],
): readonly LaterRelease[] {
  const specificationOf = knownInstances(journal)
  const releases = versions.map((application, index) => {
    const there = asAfter(versions[index - 1], application.name, live, past)
    const own = diff({ ...desired, applications: [application], blocked: [] }, there.live, there.past)
    const version = versionOf(application)
    return [
      ...own.differences.filter(({ declared }) => declared !== undefined),
      ...own.inSync.map(({ service, release }) => ({ service, release })),
    ].map(one => ({ one, version }))
  })
  return releases.slice(1).flatMap((later, index) => {
    const before = new Set(releases[index]?.map(({ one }) => `${one.service} ${one.release}`))
    return later.flatMap(({ one, version }): readonly LaterRelease[] => {
      const { service, release } = one
      if (before.has(`${service} ${release}`)) return []
      const brought = 'kind' in one ? broughtLater(one, { specificationOf }) : asItRuns
      return [{ service, release, version, ...brought }]
    })
  })
}

/**
 * Returns what runs of an application, and what is on record of it, as if it were the version before: which decides how
 * the next one replaces it (A42).
 */
function asAfter(
  before: Application | undefined,
  name: string,
  live: LiveState,
  past: Past,
): { readonly live: LiveState; readonly past: Past } {
  const own = live.containers.filter(({ application }) => application === name)
  if (before === undefined) return { live: { ...live, containers: own }, past }
  const version = versionOf(before)
  const applied = [...past.applied].map(
    ([key, target]) => [key, splitKey(key).application === name ? { ...target, version } : target] as const,
  )
  return {
    live: { ...live, containers: own.map(one => ({ ...one, version })) },
    past: { ...past, applied: new Map(applied) },
  }
}

const asItRuns: Pick<LaterRelease, 'fields' | 'jobs'> = { fields: [], jobs: [] }
