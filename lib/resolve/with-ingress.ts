import type { Problem } from '../errors.ts'
import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { ReadSettings } from '../ingress/settings.ts'
import type { BuildContext } from '../spec/build/context.ts'
import type { Whereabouts } from '../spec/claims/whereabouts.ts'
import type { Blocked, DesiredState } from '../state/application/desired.ts'
import { ingressName, type LoadedRoutes } from '../state/application/ingress/route.ts'
import { shareSite } from '../state/fleet/site-set.ts'
import type { CalledEnvironment } from '../state/identity.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'
import { keptRoutes } from './kept-routes.ts'
import { hasRoutes, routedAmong, sitesOfIngress } from './routed-applications.ts'

/** The operator's settings of the ingress, and the routes that it loaded last on any site. */
export type Reach = Omit<NonNullable<BuildContext['ingress']>, 'obtainable'> & {
  /** Where certificates come from, as far as the configuration tells; absent: nobody knows, and no host is refused. */
  readonly certificates?: { readonly hasOwn: boolean; readonly hasPrivateAuthority: boolean }
  /** Where it listens in an environment; absent: the operator runs it, and Tallyman does not know. */
  readonly listeners?: (environment: CalledEnvironment) => Listeners
  /** The ingresses of other environments on the same hosts, which have their own ports. */
  readonly neighbours?: (environment: CalledEnvironment) => readonly Neighbour[]
  /** Absent: the ingress is not made, and routes are only read. */
  readonly make?: {
    readonly read: ReadSettings
    readonly loaded: readonly LoadedRoutes[]
    /** Those that have its ports. */
    readonly rivals: readonly RivalIngress[]
  }
}

/** The ingress of another environment, which has the ports of this one on some sites. */
export type RivalIngress = {
  readonly sites: readonly string[]
  /** Why there can be no other ingress on them. */
  readonly problem: Problem
}

/**
 * Adds the ingress if anything has a route. What cannot be decided now stays as it was loaded (D15): the routes of a
 * blocked application, the whole ingress if its own settings cannot be used, and that of the sites where another one has
 * its ports. `desiredOn` decides what that is on each site.
 */
export async function withIngress(
  desired: DesiredState,
  ingress: Reach | undefined,
  whereabouts: Whereabouts,
): Promise<DesiredState> {
  if (ingress?.make === undefined || !isConcerned(desired, ingress.make)) return desired
  const { ingressApplication } = await import('../ingress/application.ts')
  const { read } = ingress.make
  const { environment, applications, blocked } = desired
  const kept = await asBefore(blocked, environment, ingress)
  const routed = [...applications, ...kept]
  if (read.state === 'unusable') {
    const own: Blocked = { application: ingressName, problems: [read.problem] }
    return hasRoutes(routed) ? { ...desired, blocked: [...blocked, own] } : desired
  }
  const own = ingressApplication(environment, routed, read.settings)
  const taken = takenByRivals(desired, ingress.make, whereabouts)
  return {
    ...desired,
    applications: own === undefined ? applications : [...applications, own],
    ingress: read.settings,
    ...(taken.size === 0 ? {} : { ingressTaken: taken }),
  }
}

/** Returns the sites that are to have the ingress, and on which another one has its ports, and why. */
function takenByRivals(
  { applications, blocked }: DesiredState,
  { loaded, rivals }: NonNullable<Reach['make']>,
  whereabouts: Whereabouts,
): ReadonlyMap<string, Problem> {
  if (rivals.length === 0) return new Map()
  const own = sitesOfIngress(routedAmong(applications, blocked, loaded), whereabouts) & whereabouts.within
  // Of several on one site, the first one is told.
  return new Map(
    rivals.toReversed().flatMap(({ sites, problem }) => {
      const both = sites.filter(site => shareSite(own, whereabouts.named([site])))
      return both.map(site => [site, problem] as const)
    }),
  )
}

/** Returns blocked applications with those of their routes that are loaded. */
async function asBefore(
  blocked: readonly Blocked[],
  environment: string,
  ingress: Reach | undefined,
): Promise<readonly RoutedApplication[]> {
  return ingress?.make === undefined
    ? []
    : keptRoutes(
        blocked.map(({ application }) => application),
        environment,
        ingress.make.loaded.flatMap(({ routes }) => routes),
        ingress.pool,
      )
}

/** Without routes, now or before, no ingress is made, and none of its code is loaded. */
function isConcerned({ applications }: DesiredState, { read, loaded }: NonNullable<Reach['make']>): boolean {
  const isExternal = read.state === 'usable' && read.settings.isExternal === true
  return isExternal || loaded.length > 0 || hasRoutes(applications)
}
