import type { TallymanConfiguration as File } from '../config.gen.ts'
import { pointerTo } from '../document/document.ts'
import { builtIn, labelsOf, type SiteLabels, usualType } from '../state/fleet/labels.ts'
import { nearest } from '../text/nearest.ts'
import type { NoteFault } from './listeners.ts'

/** A site as somebody wrote it. */
export type WrittenSite = NonNullable<File['sites']>[number]
/** What sites have in common, by the names of the profiles. */
export type Profiles = NonNullable<File['siteProfiles']>

export type Site = {
  readonly name: string
  /** The path of the file that describes it alone; absent: it is in the configuration itself. */
  readonly file?: string
  readonly endpoint?: string
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string }
  /** Absent: all environments. */
  readonly environments?: readonly string[]
  /** Its own, those of its profiles, and those that every site has (A24). */
  readonly labels: SiteLabels
}

/**
 * Reads a site with its profiles. Its own labels take precedence over those of its profiles. Reports profiles that do
 * not exist or contradict each other, and labels that nobody may set.
 * @param pointer the place of the site
 */
export function readSiteEntry(
  written: WrittenSite,
  profiles: Profiles,
  pointer: string,
  fault: NoteFault,
): Site {
  const { profiles: named = [], labels: own = {}, ...site } = written
  faultBuiltIn(own, `${pointer}/labels`, fault)
  const givenBy = new Map<string, string>()
  const common = named.flatMap((name: string, index: number) => {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    const place = `${pointer}/profiles/${index}`
    if (profile === undefined) {
      fault(place, `there is no profile "${name}" under siteProfiles${meant(name, profiles)}`)
      return []
    }
    const labels = Object.entries(profile.labels ?? {})
    for (const [label, value] of labels) {
      const before = givenBy.get(label)
      givenBy.set(label, name)
      if (before === undefined || Object.hasOwn(own, label) || profiles[before]?.labels?.[label] === value)
        continue
      fault(
        place,
        `"${before}" and "${name}" have different values of the label "${label}"; the site itself can say which`,
      )
    }
    return labels
  })
  const labels = labelsOf([
    [builtIn.type, usualType],
    ...common,
    ...Object.entries(own),
    [builtIn.name, written.name],
  ])
  return { ...site, labels }
}

/** Reports labels of profiles that nobody may set. */
export function faultProfiles(profiles: Profiles, fault: NoteFault): void {
  for (const [name, { labels = {} }] of Object.entries(profiles))
    faultBuiltIn(labels, `${pointerTo('/siteProfiles', name)}/labels`, fault)
}

/** The operator says of which kind a site is, and nothing else in that namespace. */
function faultBuiltIn(labels: SiteLabels, pointer: string, fault: NoteFault): void {
  for (const name of Object.keys(labels)) {
    if (!name.startsWith('system/') || name === builtIn.type) continue
    const reason = name === builtIn.name ? 'is the name of the site' : 'begins with system/'
    fault(
      pointerTo(pointer, name),
      `"${name}" ${reason}, which nobody sets; only "${builtIn.type}" may be set`,
    )
  }
}

function meant(name: string, profiles: Profiles): string {
  const known = nearest(name, Object.keys(profiles))
  return known === undefined ? '' : `; did you mean "${known}"?`
}
