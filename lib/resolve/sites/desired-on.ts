import { reachingPods } from '../../metadata/application.ts'
import type { Application } from '../../state/application/application.ts'
import type { Blocked, DesiredState } from '../../state/application/desired.ts'
import { claimedBy, ingressName, type Route } from '../../state/application/ingress/route.ts'
import { keptRoutes } from '../kept-routes.ts'
import { routesAmong } from '../routed-applications.ts'

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
  const { ingressApplication } = await import('../../ingress/application.ts')
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
