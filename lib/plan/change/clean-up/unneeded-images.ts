import type { DesiredState } from '../../../state/application/desired.ts'
import { asksForNothing } from '../../../state/application/nothing-here.ts'
import { pinnedReference } from '../../../state/image/reference.ts'
import { type PinnedImage, pinnedImages, pinnedName, type Version } from '../../../state/image/version.ts'
import { isKeptContainer } from '../../../state/running/job-container.ts'
import type { LiveState } from '../../../state/running/live.ts'
import { byText } from '../../../text/order.ts'
import type { Change, InstanceLine } from '../change.ts'
import { unneeded } from './clean-up.ts'

/** What is known of images. Present only if old ones are to be removed. */
export type Images = {
  /** For how many versions of each application images are kept, including the running one (A6). */
  readonly keep: number
  /** The versions that ran on the site, of all environments, newest first. */
  readonly versions: readonly Version[]
  /** The versions that commits of any environment brought and that can be gone back to, newest first (A6). */
  readonly keptVersions: readonly OfApplication[]
  /** The images that the site has, as `registry.example.com/team/web@sha256:…`. */
  readonly there: readonly string[]
}

type OfApplication = Pick<Version, 'environment' | 'application' | 'images'>

/**
 * Returns the removal of images that ran on a site and that nobody needs any more, as one change. Keeps the
 * images of the newest `keep` versions that ran, and of those that were wanted, of every application that is declared, or runs, or belongs to another
 * environment. Also keeps images that something of Tallyman's runs or is to run, and images with which no version ran
 * (A6, X8, G10).
 */
export function unneededImages(desired: DesiredState, live: LiveState, images: Images): readonly Change[] {
  if (asksForNothing(desired)) return []
  const old = oldImages(desired, live, images)
  return old.length === 0 ? [] : [removal(live.site, old)]
}

type OldImage = { readonly image: PinnedImage; readonly reason: string }

function oldImages(
  desired: DesiredState,
  live: LiveState,
  { keep, versions, keptVersions, there }: Images,
): readonly OldImage[] {
  const ours = versions.filter(({ environment }) => environment === desired.environment)
  const staying = new Set([
    ...desired.applications.map(({ name }) => name),
    ...live.containers.filter(container => !isKeptContainer(container)).map(({ application }) => application),
  ])
  const isGone = ({ environment, application }: OfApplication) =>
    environment === desired.environment && !staying.has(application)
  const needed = new Set([
    ...[versions, keptVersions].flatMap(all => {
      const needing = all.filter(version => !isGone(version))
      return newest(needing, keep).flatMap(digestsOf)
    }),
    ...desired.applications.flatMap(pinnedImages).map(({ digest }) => digest),
    ...live.containers.map(({ digest }) => digest),
  ])
  const isThere = new Set(there)
  const old = new Map<string, OldImage>()
  for (const version of ours) {
    const reason = isGone(version) ? 'its application is gone' : olderThan(keep)
    for (const image of version.images) {
      const present = pinnedReference(image.reference, image.digest)
      if (isThere.has(present) && !needed.has(image.digest) && !old.has(present))
        old.set(present, { image, reason })
    }
  }
  return [...old.values()].sort(byText(({ image }) => pinnedName(image)))
}

/** Returns the newest versions of each application of each environment. */
function newest(versions: readonly OfApplication[], keep: number): readonly OfApplication[] {
  const applications = Map.groupBy(
    versions,
    ({ environment, application }) => `${environment}/${application}`,
  )
  return [...applications.values()].flatMap(same => same.slice(0, keep))
}

function digestsOf({ images }: OfApplication): readonly string[] {
  return images.map(({ digest }) => digest)
}

function olderThan(keep: number): string {
  return keep === 1 ? 'not of the version that runs' : `not of the last ${keep} versions`
}

function removal(site: string, old: readonly OldImage[]): Change {
  return unneeded(site, 'old images', {
    reason: 'no version that is kept needs them',
    lines: old.map(
      ({ image, reason }): InstanceLine => ({ sign: '-', name: `image ${pinnedName(image)}`, reason }),
    ),
    steps: old.map(({ image }) => ({ do: 'remove-image', ...image })),
  })
}
