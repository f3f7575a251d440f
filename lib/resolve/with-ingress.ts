import type { RoutedApplication } from '../ingress/as-loaded.ts'
import type { ReadSettings } from '../ingress/settings.ts'
import type { BuildContext } from '../spec/build/context.ts'
import type { Blocked, DesiredState } from '../state/application/desired.ts'
import { claimedBy, ingressName, type Route } from '../state/application/route.ts'
import { routesOf } from '../state/application/traffic.ts'
import type { Listeners, Neighbour } from '../state/listeners.ts'

/** The operator's settings of the ingress, and the routes that it loaded last on any site. */
export type Reach = NonNullable<BuildContext['ingress']> & {
  /** Where it listens in an environment; absent: the operator runs it, and Tallyman does not know. */
  readonly listeners?: (environment: string) => Listeners
  /** The ingresses of other environments on the same hosts, which have their own ports. */
  readonly neighbours?: (environment: string) => readonly Neighbour[]
  /** Absent: the ingress is not made, and routes are only read. */
  readonly make?: { readonly read: ReadSettings; readonly loaded: readonly Route[] }
}

/**
 * Adds the ingress if anything has a route. What cannot be decided now stays as it was loaded (D15): the routes of a
 * blocked application, and the whole ingress if its own settings cannot be used. `desiredOn` decides what that is on
 * each site.
 */
export async function withIngress(desired: DesiredState, ingress: Reach | undefined): Promise<DesiredState> {
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
  return {
    ...desired,
    applications: own === undefined ? applications : [...applications, own],
    ingress: read.settings,
  }
}

/**
 * Returns what is desired on one site, where the ingress has loaded these routes: those of blocked applications stay
 * there as they are, unless another application answers the same requests now (D15).
 */
export async function desiredOn(
  desired: DesiredState,
  loaded: () => readonly Route[],
): Promise<DesiredState> {
  const { ingress, environment, applications, blocked } = desired
  if (ingress === undefined || blocked.length === 0) return desired
  if (blocked.some(({ application }) => application === ingressName)) return desired
  const others = applications.filter(({ name }) => name !== ingressName)
  const taken = new Set(routesIn(others).flatMap(claimedBy))
  const left = loaded().filter(route => !claimedBy(route).some(claim => taken.has(claim)))
  const { ingressApplication } = await import('../ingress/application.ts')
  const kept = await keptRoutes(blocked, environment, left, ingress.pool)
  const own = ingressApplication(environment, [...others, ...kept], ingress)
  return { ...desired, applications: own === undefined ? others : [...others, own] }
}

/** Returns blocked applications with those of their routes that are loaded. */
export async function asBefore(
  blocked: readonly Blocked[],
  environment: string,
  ingress: Reach | undefined,
): Promise<readonly RoutedApplication[]> {
  return ingress?.make === undefined
    ? []
    : keptRoutes(blocked, environment, ingress.make.loaded, ingress.pool)
}

async function keptRoutes(
  blocked: readonly Blocked[],
  environment: string,
  loaded: readonly Route[],
  pool: string,
): Promise<readonly RoutedApplication[]> {
  if (blocked.length === 0 || loaded.length === 0) return []
  const { asLoaded } = await import('../ingress/as-loaded.ts')
  return blocked.flatMap(({ application }) => asLoaded(environment, application, loaded, pool))
}

/** Without routes, now or before, no ingress is made, and none of its code is loaded. */
function isConcerned({ applications }: DesiredState, { read, loaded }: NonNullable<Reach['make']>): boolean {
  const isExternal = read.state === 'usable' && read.settings.isExternal === true
  return isExternal || loaded.length > 0 || hasRoutes(applications)
}

/** Returns whether anything has a route. */
export function hasRoutes(applications: readonly RoutedApplication[]): boolean {
  return routesIn(applications).length > 0
}

function routesIn(applications: readonly RoutedApplication[]): readonly Route[] {
  return applications.flatMap(({ services }) => services.flatMap(routesOf))
}
