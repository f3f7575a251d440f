import type { TallymanConfiguration as File } from '../../config.gen.ts'
import { pointerTo } from '../../document/document.ts'
import { type Environment, endpointFaults } from '../../endpoint.ts'
import { keepOnce } from '../../memo/keep-once.ts'
import { optional } from '../../object.ts'
import { builtIn, labelsOf, type SiteLabels, usualType } from '../../state/fleet/labels.ts'
import type { Windows } from '../../state/fleet/window.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import type { NoteFault } from '../listeners.ts'
import { faultSwarmKeys, type WrittenSwarm } from './swarm-options.ts'
import { faultTimezone, readWindows } from './windows.ts'

/** A site as somebody wrote it. */
export type WrittenSite = NonNullable<File['sites']>[number]
/** What sites have in common, by the names of the profiles. */
export type Profiles = NonNullable<File['siteProfiles']>

/** What counts for a site besides its own entry. */
export type BesideSites = {
  readonly profiles: Profiles
  /** The environment variables, by which a site without an endpoint is reached; absent: nobody knows them. */
  readonly env?: Environment
}

export type Site = WrittenSwarm & {
  readonly name: string
  /** The path of the file that describes it alone; absent: it is in the configuration itself. */
  readonly file?: string
  readonly endpoint?: string
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string }
  readonly ssh?: { readonly keyFile: string; readonly knownHostsFile?: string; readonly hostKey?: string }
  /** Absent: all environments. */
  readonly environments?: readonly string[]
  /** When applications may be upgraded there, as it says itself and its profiles do; absent: always (A60). */
  readonly windows?: Windows
  /** Its own, those of its profiles, and those that every site has (A24). */
  readonly labels: SiteLabels
}

/**
 * Reads a site with its profiles. Its own labels take precedence over those of its profiles, and its windows are all of
 * them together. Reports profiles that do not exist or contradict each other, and what is wrong in the site itself.
 * @param pointer the place of the site
 */
export function readSiteEntry(
  written: WrittenSite,
  { profiles, env }: BesideSites,
  pointer: string,
  fault: NoteFault,
): Site {
  const { profiles: named = [], labels: own = {}, windows: _, timezone, ...site } = written
  const used = named.flatMap((name: string, index: number): readonly UsedProfile[] => {
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    const place = `${pointer}/profiles/${index}`
    if (profile !== undefined) return [{ name, profile, place }]
    fault(place, `there is no profile "${name}" under siteProfiles${meant(name, profiles)}`)
    return []
  })
  faultTimezone(timezone, pointer, fault)
  faultSwarmKeys(site, pointer, fault)
  for (const { key, what } of endpointFaults(written, env)) fault(`${pointer}/${key}`, what)
  faultBuiltIn(own, `${pointer}/labels`, fault)
  faultContradictions(used, own, fault)
  const labels = labelsOf([
    [builtIn.type, usualType],
    ...used.flatMap(({ profile }) => Object.entries(profile.labels ?? {})),
    ...Object.entries(own),
    [builtIn.name, written.name],
  ])
  return { ...site, ...optional('windows', windowsOf(written, used, pointer, fault)), labels }
}

/** A profile that a site names, and the place where it does. */
type UsedProfile = { readonly name: string; readonly profile: Profiles[string]; readonly place: string }

/** An order of profiles would decide silently what runs where. */
function faultContradictions(used: readonly UsedProfile[], own: SiteLabels, fault: NoteFault): void {
  const given = new Map<string, { readonly by: string; readonly value: string }>()
  for (const { name, profile, place } of used)
    for (const [label, value] of Object.entries(profile.labels ?? {})) {
      const before = given.get(label)
      given.set(label, { by: name, value })
      if (before === undefined || before.value === value || Object.hasOwn(own, label)) continue
      fault(
        place,
        `"${before.by}" and "${name}" have different values of the label "${label}"; the site itself can say which`,
      )
    }
}

/** Returns the windows of the site and of its profiles, those of each party together. */
function windowsOf(
  { windows, timezone }: WrittenSite,
  used: readonly UsedProfile[],
  pointer: string,
  fault: NoteFault,
): Windows | undefined {
  const all = [
    ...used.map(({ name, profile, place }) =>
      readWindows(profile.windows, timezone, place, (_, reason) => {
        // Anything else is reported where the profile is.
        if (timezone === undefined) fault(place, `a window of "${name}": ${reason}`)
      }),
    ),
    readWindows(windows, timezone, `${pointer}/windows`, fault),
  ].filter(found => found !== undefined)
  if (all.length === 0) return undefined
  return alike({
    provider: all.flatMap(({ provider }) => provider),
    owner: all.flatMap(({ owner }) => owner),
  })
}

/** Thousands of sites may have those of one profile. */
const alike = keepOnce<Windows>()

/** Reports what is wrong in profiles, whichever sites have them. */
export function faultProfiles(profiles: Profiles, fault: NoteFault): void {
  for (const [name, { labels = {}, windows }] of Object.entries(profiles)) {
    const pointer = pointerTo('/siteProfiles', name)
    faultBuiltIn(labels, `${pointer}/labels`, fault)
    // Each site has a time zone of its own.
    readWindows(windows, 'UTC', `${pointer}/windows`, fault)
  }
}

/**
 * Reports labels that nobody sets, whatever their values are: the operator says of which kind a site is, and nothing else
 * in that namespace.
 * @param pointer the place of the labels
 */
export function faultBuiltIn(labels: object, pointer: string, fault: NoteFault): void {
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
