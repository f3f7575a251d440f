import { onceFor } from '../../../memo/once-for.ts'
import { type Change, isLeftOver, isPutBack } from '../../../plan/change/change.ts'
import type { Application } from '../../../state/application/application.ts'
import { applicationHash } from '../../../state/application/application-hash.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { hasUnknownImage } from '../../../state/application/members.ts'
import { versionOf } from '../../../state/application/version-of.ts'
import { pinnedImages, pinnedName, type Version } from '../../../state/image/version.ts'
import type { World } from '../../world.ts'
import type { PassResult } from '../result/pass-result.ts'
import type { SiteMemory } from '../site-memory.ts'

/**
 * Returns the versions that run completely and as wanted on a site after a pass; none if it did not answer. An
 * application is left out if a service is still to be changed or an image is not known (A6).
 */
export function versionsRunning(result: PassResult, site: string): readonly Version[] {
  const { desired } = result
  if (desired === undefined) return []
  return completeIn(result, desired.applications, site, isOfWanted)
    .filter(application => !hasUnknownImage(application))
    .map(application => ({
      environment: desired.environment,
      site,
      application: application.name,
      images: imagesOf(application),
    }))
}

/**
 * Returns those of these applications that run completely on a site after a pass; none if it did not answer.
 * @param brings whether a change that was carried out brings an application to what it is among them
 */
function completeIn(
  { plan, results }: Pick<PassResult, 'plan' | 'results'>,
  applications: readonly Application[],
  site: string,
  brings: (change: Change) => boolean,
): readonly Application[] {
  if (plan === undefined || plan.unseen.includes(site)) return []
  const done = new Set(
    results.flatMap(({ change, result }) => (result === 'applied' && brings(change) ? [change] : [])),
  )
  const isLeft = (change: Change) => !done.has(change) && !isLeftOver(change)
  const left = new Set(plan.changes.filter(isLeft).map(({ application }) => application))
  const blocked = new Set(plan.blocked.map(({ application }) => application))
  return applications.filter(({ name }) => !blocked.has(name) && !left.has(name))
}

/**
 * Notes of kept versions that they run completely on a site after a pass, also as a step on the way to another one, unless
 * this process noted it before.
 * @param compared what the site was compared with: of some applications, such a step
 */
export function noteRunning(
  { journal }: Pick<World, 'journal'>,
  { versions }: Pick<SiteMemory, 'versions'>,
  result: PassResult,
  { environment, applications }: DesiredState,
  site: string,
): void {
  const complete = completeIn(result, applications, site, change => !isPutBack(change))
  const news = complete.filter(
    application => !versions.hasRun(application.name, applicationHash(application)),
  )
  if (news.length === 0) return
  journal.insist(() => {
    for (const application of news)
      journal.noteVersionRuns({ environment, application: application.name, version: versionOf(application) })
  })
  for (const application of news) versions.setRun(application.name, applicationHash(application))
}

/** Whether it brings the wanted version, and not another one. */
function isOfWanted(change: Change): boolean {
  return !isPutBack(change) && change.walk === undefined && change.isBegun === undefined
}

/** They are the same on all sites. */
const imagesOf = onceFor(pinnedImages)

/** Records the versions that run on a site, unless the same are on record. */
export function recordVersions(
  { journal }: Pick<World, 'journal'>,
  memory: Pick<SiteMemory, 'versions'>,
  versions: readonly Version[],
): void {
  const news = versions.filter(
    ({ application, images }) => !memory.versions.isKnown(application, inWords(images)),
  )
  if (news.length === 0) return
  journal.insist(() => {
    for (const version of news) journal.setVersion(version)
  })
  for (const { application, images } of news) memory.versions.setKnown(application, inWords(images))
}

/** The sites share the text. */
const inWords = onceFor((images: Version['images']) => images.map(pinnedName).join(' '))
