import type { Engine } from '../../../engine.ts'
import { forHost } from '../../../resolve/for-host.ts'
import { hasRoutes } from '../../../resolve/routed-applications.ts'
import { desiredOn, type SiteCut } from '../../../resolve/sites/desired-on.ts'
import type { Blocked, DesiredState } from '../../../state/application/desired.ts'
import type { Route } from '../../../state/application/ingress/route.ts'

type Kind = Pick<Engine, 'swarm'>

/** Returns what is wanted as the engine of a site can have it. What Swarms need is loaded only for one. */
export async function shapedFor({ swarm }: Kind, desired: DesiredState): Promise<DesiredState> {
  if (swarm === undefined) return forHost(desired)
  const { forSwarm } = await import('../../../resolve/swarm/for-swarm.ts')
  return forSwarm(desired, swarm)
}

/**
 * Returns what is wanted on one site, as its engine can have it. An application with routes that the engine cannot have
 * is refused before the ingress is decided, so that the routes of it that are loaded stay as they are (D15).
 */
export async function wantedHere(
  kind: Kind,
  desired: DesiredState,
  loaded: () => readonly Route[],
  cut: SiteCut,
): Promise<DesiredState> {
  const unable = await unableHere(kind, desired, cut)
  const all = unable.length === 0 ? cut : { ...cut, refused: [...cut.refused, ...unable] }
  return shapedFor(kind, await desiredOn(desired, loaded, all))
}

async function unableHere(
  kind: Kind,
  desired: DesiredState,
  { elsewhere, refused }: SiteCut,
): Promise<readonly Blocked[]> {
  const shaped = await shapedFor(kind, desired)
  if (shaped.blocked.length === desired.blocked.length) return []
  const routed = new Set(desired.applications.filter(one => hasRoutes([one])).map(({ name }) => name))
  const known = new Set([...desired.blocked, ...refused].map(({ application }) => application))
  return shaped.blocked.filter(
    ({ application }) => routed.has(application) && !known.has(application) && !elsewhere.has(application),
  )
}
