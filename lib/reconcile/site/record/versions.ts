import { onceFor } from '../../../once-for.ts'
import { type Change, isPutBack } from '../../../plan/change/change.ts'
import type { Application } from '../../../state/application/application.ts'
import { hasUnknownImage } from '../../../state/application/members.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { hashOf } from '../../../state/canonical.ts'
import { pinnedImages, type Version } from '../../../state/image/version.ts'
import type { World } from '../../world.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteMemory } from '../site-memory.ts'

/** The images of an application that runs, as which version it does, and a hash of all that it is then. */
export type RunningVersion = Version & { readonly version: string; readonly mark: string }

/**
 * Returns the versions that run completely and as wanted on a site after a pass; none if it did not answer. An
 * application is left out if a service is still to be changed or an image is not known (A6).
 */
export function versionsRunning(
  { desired, plan, results }: PassResult,
  site: string,
): readonly RunningVersion[] {
  if (desired === undefined || plan === undefined) return []
  const done = new Set(
    results.flatMap(({ change, result }) => (result === 'applied' && isOfWanted(change) ? [change] : [])),
  )
  const left = new Set(plan.changes.filter(change => !done.has(change)).map(({ application }) => application))
  const blocked = new Set(plan.blocked.map(({ application }) => application))
  if (plan.unseen.includes(site)) return []
  return desired.applications
    .filter(application => {
      const { name } = application
      return !blocked.has(name) && !left.has(name) && !hasUnknownImage(application)
    })
    .map(application => ({
      environment: desired.environment,
      site,
      application: application.name,
      images: imagesOf(application),
      version: versionOf(application),
      mark: markOf(application),
    }))
}

/** Whether it brings the wanted version, and not another one. */
function isOfWanted(change: Change): boolean {
  return !isPutBack(change) && change.walk === undefined && change.isBegun === undefined
}

/** They are the same on all sites. */
const imagesOf = onceFor(pinnedImages)
const markOf = onceFor((application: Application) => hashOf(application))

/** Records the versions that run on a site, unless the same are on record. */
export function recordVersions(
  { journal }: Pick<World, 'journal'>,
  memory: Pick<SiteMemory, 'versions'>,
  versions: readonly RunningVersion[],
): void {
  const news = versions.filter(({ application, mark }) => !memory.versions.isKnown(application, mark))
  if (news.length === 0) return
  journal.insist(() => {
    for (const version of news) {
      journal.setVersion(version)
      journal.releaseRuns(version)
    }
  })
  for (const { application, mark } of news) memory.versions.setKnown(application, mark)
}
