import type { Application } from '../../../state/application/application.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { imageTag, versionOf } from '../../../state/application/version-of.ts'
import type { LiveContainer, LiveState } from '../../../state/running/live.ts'
import { type Cause, keyOf, splitKey } from '../../change/change.ts'
import type { Comparison } from '../comparison.ts'
import type { Applied, Past } from '../past.ts'
import { countIn } from '../target/target.ts'

/** The versions of applications on one site, by application; the empty one stands for none. */
export type VersionsHere = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Returns the versions that run. A container that a new version left as it was bears the label of an earlier one, but
 * is of the version with which it was found as wanted last.
 */
export function runningVersions({ site, containers }: LiveState, applied: Applied): VersionsHere {
  const running = containers.filter(
    ({ role, state, isDone }) => role === 'app' && (isDone || state === 'running'),
  )
  return byApplication(running.map(one => [one.application, labelOf(one, site, applied)]))
}

/**
 * Returns the versions that an upgrade path has to lead from: those that run, and the one that was complete last as long
 * as nothing runs or another one is not complete. So what a crash left half-done is not taken for what may be followed
 * (A42).
 * @param running those that run, where they are known already
 */
export function versionsToFollow(
  live: LiveState,
  { applied, attempts = new Map() }: Past,
  running: VersionsHere = runningVersions(live, applied),
): VersionsHere {
  const open = new Set(
    [...attempts].flatMap(([key, { phase }]) => (phase === 'ended' ? [] : [splitKey(key).application])),
  )
  const left = [...applied].flatMap(([key, { version }]) => {
    const { application } = splitKey(key)
    const isFollowed = version !== undefined && (open.has(application) || !running.has(application))
    return isFollowed ? [[application, version] as const] : []
  })
  if (left.length === 0) return running
  const pairs = [...running].flatMap(([name, versions]) => [...versions].map(one => [name, one] as const))
  return byApplication([...pairs, ...left])
}

function labelOf(
  { application, service, fingerprint, version }: LiveContainer,
  site: string,
  applied: Applied,
): string {
  if (version === undefined) return ''
  const last = applied.get(keyOf({ site, application, service }))
  const isApplied = last !== undefined && countIn(last.target, fingerprint) > 0
  return (isApplied ? last.version : undefined) ?? version
}

/** A service that differs, declared or not. */
type Differing = Pick<
  Comparison,
  'application' | 'matched' | 'missing' | 'surplus' | 'isInterrupted' | 'isPastReturn'
> & { readonly kind: Cause; readonly declared?: Comparison['declared'] | undefined }

/**
 * How a version comes to a site where no part of it is yet. `upgrade`: another version is there. `first`: none is, and
 * the application was never completed there (A64).
 */
export type Arrival = 'upgrade' | 'first'

/**
 * Returns whether acting on a difference would bring another version to the site, and how. Repairs and changes without
 * a new version bring none (A11), nor does the end of an upgrade that has begun (A62). Applications without a version go
 * by the tags of their images (X19).
 */
export function arrivalsOn(
  applications: readonly Application[],
  running: VersionsHere,
  applied: Applied,
): (difference: Differing) => Arrival | undefined {
  const known = [...applied].flatMap(([key, { version }]) =>
    version === undefined ? [] : [[splitKey(key).application, version] as const],
  )
  const were = byApplication(known)
  const completed = new Set([...applied.keys()].map(key => splitKey(key).application))
  const wanted = new Map(applications.map(application => [application.name, application]))
  return difference => {
    const { application: name, kind, declared, isInterrupted } = difference
    const application = wanted.get(name)
    const hasBegun = isInterrupted || difference.isPastReturn === true
    if (application === undefined || kind === 'drifted' || hasBegun) return undefined
    // The ingress is the operator's, and has to follow the routes of applications at any time.
    if (declared !== undefined && routingOf(declared.service) !== undefined) return undefined
    const labels = [...(running.get(name) ?? [])]
    const here = [...labels, ...(were.get(name) ?? [])]
    // What an installation left that never came to its end is none.
    const isNew = kind === 'missing' || (kind === 'diverged' && !completed.has(name))
    if (isNew && here.length === 0) return 'first'
    const isOther = here.length > 0 && !here.includes(versionOf(application))
    const isLabelled = application.version !== undefined || labels.some(label => label !== '')
    const isAlone = difference.matched.length + difference.surplus.length === 0
    return (isLabelled || isAlone ? isOther : hasOtherTags(difference)) ? 'upgrade' : undefined
  }
}

function hasOtherTags({ missing, matched, surplus }: Differing): boolean {
  const there = [...matched.map(({ live }) => live), ...surplus].map(({ containers }) =>
    tagsOf(containers.map(({ role, container, image }) => [role, container, image])),
  )
  const wanted = missing.map(({ containers }) =>
    tagsOf(containers.map(({ placement, spec }) => [placement.role, spec.name, spec.image.reference])),
  )
  return wanted.some(tags => !there.includes(tags))
}

/** Returns the tags of what makes up an instance, in one text. */
function tagsOf(containers: readonly (readonly [role: string, name: string, reference: string])[]): string {
  return containers
    .flatMap(([role, name, reference]) => (role === 'app' ? [`${name}:${imageTag(reference)}`] : []))
    .sort()
    .join(' ')
}

function byApplication(pairs: readonly (readonly [application: string, version: string])[]): VersionsHere {
  const versions = new Map<string, Set<string>>()
  for (const [application, version] of pairs) {
    const own = versions.get(application)
    if (own === undefined) versions.set(application, new Set([version]))
    else own.add(version)
  }
  return versions
}
