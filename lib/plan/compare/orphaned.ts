import type { DesiredState } from '../../state/application/desired.ts'
import { metadataName } from '../../state/application/metadata.ts'
import { isOwnApplication } from '../../state/application/own-application.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer } from '../../state/running/live.ts'
import type { ServicePlace } from '../change/change.ts'
import type { Comparison } from './comparison.ts'
import { groupInstances } from './instance/instance.ts'
import type { ReleaseOfApplication } from './target/release.ts'

/** What exists of a service that is no longer declared: of all that a comparison tells, only what is too much. */
export type Orphan = Pick<Comparison, Known> &
  typeof nothingWanted & {
    readonly kind: 'orphaned'
    /** Why what runs is no longer declared: what no longer names it. */
    readonly reason: string
    /** What runs of its application was made from a specification that no longer exists. */
    readonly isSpecificationGone?: true
  } & { readonly [Other in Exclude<keyof Comparison, Known | keyof typeof nothingWanted>]?: never }

type Known = keyof ServicePlace | keyof ReleaseOfApplication | 'surplus' | 'leftOver'

const nothingWanted = {
  target: 'absent',
  release: 'absent',
  matched: [],
  missing: [],
  isRollout: false,
  isInterrupted: false,
  jobs: [],
  areJobsDone: false,
  begun: [],
  faults: [],
} as const

/** All containers of one service on one site. */
export type ContainersOfService = readonly [LiveContainer, ...LiveContainer[]]

/**
 * Returns a difference for each service that exists on a site and is not declared. Leaves out what belongs to blocked
 * applications (D15), and an external ingress, which is its operator's. `gone`: the applications whose specification
 * no longer exists.
 */
export function orphans(
  desired: DesiredState,
  site: string,
  undeclared: readonly ContainersOfService[],
  gone: ReadonlySet<string>,
): readonly Orphan[] {
  const blocked = new Set(desired.blocked.map(({ application }) => application))
  const declared = new Set(desired.applications.map(({ name }) => name))
  const reasonOf = reasonsIn(desired, declared, gone)
  return undeclared.flatMap(containers => {
    const [{ application, service, isExternal }] = containers
    if (blocked.has(application) || isExternal) return []
    // What is blocked may be a pod, which still asks it.
    if (application === metadataName && blocked.size + (desired.joined?.size ?? 0) > 0) return []
    return [
      {
        ...nothingWanted,
        kind: 'orphaned' as const,
        site,
        application,
        service,
        reason: reasonOf(application),
        surplus: groupInstances(containers),
        leftOver: containers.filter(container => !isOfInstance(container)),
        ...(gone.has(application) ? { isSpecificationGone: true as const } : {}),
      },
    ]
  })
}

/** Why what runs is no longer wanted, if nobody knows which of the two named it. */
export const notNamedReason = 'neither the manifest nor a deployment names it any more'

/** Returns why a service of an application that runs is no longer declared. No manifest names Tallyman's own. */
function reasonsIn(
  { elsewhere = [] }: Pick<DesiredState, 'elsewhere'>,
  declared: ReadonlySet<string>,
  gone: ReadonlySet<string>,
): (application: string) => string {
  const away = new Set(elsewhere)
  return application => {
    if (gone.has(application)) return 'its specification is gone'
    if (away.has(application)) return 'its deployment does not mean this site'
    if (isOwnApplication(application)) return 'no application on this site needs it any more'
    return declared.has(application) ? `no longer in the specification of ${application}` : notNamedReason
  }
}
