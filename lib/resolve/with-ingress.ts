import type { Problem } from '../errors.ts'
import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { ReadSettings } from '../ingress/settings.ts'
import { reachingPods } from '../metadata/application.ts'
import type { BuildContext } from '../spec/build/context.ts'
import type { Whereabouts } from '../spec/claims/whereabouts.ts'
import type { Application } from '../state/application/application.ts'
import type { Blocked, DesiredState } from '../state/application/desired.ts'
import { claimedBy, ingressName, type LoadedRoutes, type Route } from '../state/application/ingress/route.ts'
import { shareSite } from '../state/fleet/site-set.ts'
import type { CalledEnvironment } from '../state/identity.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'
import { hasRoutes, routedAmong, routesAmong, sitesOfIngress } from './routed.ts'

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

/** What one site should not have, or not yet, of what its environment wants. */
export type SiteCut = {
  /** Applications of which nothing is touched. */
  readonly refused: readonly Blocked[]
  /** Applications that belong to other sites. */
  readonly elsewhere: ReadonlySet<string>
  /** Whether one of these is wanted on another site, or is to run nowhere on purpose (G4). Absent: no. */
  readonly isWantedElsewhere?: boolean
  /** Of these, those that keep what they have here, and the deployment that decides once it is evaluated anew (A25). Absent: none. */
  readonly joined?: ReadonlyMap<string, string>
  /** Applications that keep what they have here for now. */
  readonly later: ReadonlySet<string>
  /** Applications that are wanted here in another version for now, also if they are blocked; absent: none. */
  readonly instead?: ReadonlyMap<string, Application>
}

const whole: SiteCut = { refused: [], elsewhere: new Set(), later: new Set() }

/**
 * Returns what is desired on one site, where the ingress has loaded these routes: those of blocked applications, and of
 * those that keep what they have, stay there as they are, unless another application answers the same requests now
 * (D15).
 */
export async function desiredOn(
  desired: DesiredState,
  loaded: () => readonly Route[],
  cut: SiteCut = whole,
): Promise<DesiredState> {
  const here = cutTo(desired, cut)
  const { ingress, environment, applications, blocked } = here
  const isCut =
    applications.length < desired.applications.length || cut.later.size > 0 || cut.instead !== undefined
  if (ingress === undefined || (blocked.length === 0 && !isCut)) return here
  const others = applications.filter(({ name }) => name !== ingressName)
  // If it is made all the same, something else has its name, and is refused for that.
  const isMade = others.length < applications.length
  if (!isMade && blocked.some(({ application }) => application === ingressName)) return here
  const asNow = others.filter(({ name }) => !cut.later.has(name))
  const asBefore = [
    ...blocked.map(({ application }) => application),
    ...cut.later,
    ...(cut.joined?.keys() ?? []),
  ]
  const taken = new Set(
    routesAmong(asNow)
      .flatMap(claimedBy)
      .map(({ text }) => text),
  )
  const before = loaded()
  const left = before.filter(route => !claimedBy(route).some(({ text }) => taken.has(text)))
  const { ingressApplication } = await import('../ingress/application.ts')
  const kept = await keptRoutes(asBefore, environment, left, ingress.pool)
  // A Caddy of the operator has to forget what the last application had before that left.
  const leaving = cut.elsewhere.size > 0 && before.length > 0 ? [{ services: [] }] : []
  const own = ingressApplication(environment, [...asNow, ...kept, ...leaving], ingress)
  return { ...here, applications: own === undefined ? others : [...others, own] }
}

/** The same value if nothing is cut, because much is remembered of it. */
function cutTo(
  desired: DesiredState,
  { refused, elsewhere, isWantedElsewhere, joined, instead }: SiteCut,
): DesiredState {
  if (refused.length === 0 && elsewhere.size === 0 && instead === undefined) return desired
  const untouched = new Set(refused.map(({ application }) => application))
  const { applications, blocked } = desired
  const left = [
    ...blocked.filter(({ application }) => !elsewhere.has(application) && !untouched.has(application)),
    ...refused,
  ]
  return {
    ...desired,
    applications: reachingPods([
      ...applications
        .filter(({ name }) => !elsewhere.has(name) && !untouched.has(name))
        .map(application => instead?.get(application.name) ?? application),
      ...left.flatMap(({ application }) => instead?.get(application) ?? []),
    ]),
    blocked: left.filter(({ application }) => instead?.has(application) !== true),
    ...(elsewhere.size === 0 ? {} : { elsewhere: [...elsewhere] }),
    ...(isWantedElsewhere === true ? { isWantedElsewhere } : {}),
    ...(joined === undefined || joined.size === 0 ? {} : { joined }),
  }
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

async function keptRoutes(
  applications: readonly string[],
  environment: string,
  loaded: readonly Route[],
  pool: string,
): Promise<readonly RoutedApplication[]> {
  if (applications.length === 0 || loaded.length === 0) return []
  const { asLoaded } = await import('../ingress/as-loaded.ts')
  return applications.flatMap(application => asLoaded(environment, application, loaded, pool))
}

/** Without routes, now or before, no ingress is made, and none of its code is loaded. */
function isConcerned({ applications }: DesiredState, { read, loaded }: NonNullable<Reach['make']>): boolean {
  const isExternal = read.state === 'usable' && read.settings.isExternal === true
  return isExternal || loaded.length > 0 || hasRoutes(applications)
}
